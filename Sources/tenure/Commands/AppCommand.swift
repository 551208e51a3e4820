import ArgumentParser

/// Everything about the applications that call the service.
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Apps and their secrets.",
        subcommands: [AppCreate.self, AppList.self, AppLink.self, AppRotateSecret.self, AppRevokeSecret.self])
}
