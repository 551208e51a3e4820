import ArgumentParser
import Foundation

/// The options of every command that reads settings.
struct SettingsOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A JSON file with settings; flags and environment go before it.", valueName: "file"))
    var config: String?

    /// The settings, with the values of flags on top.
    func settings(_ flags: [Settings.Name: String] = [:]) async throws -> Settings {
        try await Settings(flags: flags, environment: ProcessInfo.processInfo.environment, file: config)
    }
}
