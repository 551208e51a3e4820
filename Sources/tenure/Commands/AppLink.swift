import ArgumentParser
import FoundationEssentials
import IdentityService

/// Links an app to a company or unlinks it.
struct AppLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Let an app act for a company, or stop it.")

    @Argument(help: "The app's id.", transform: UUID.argument)
    var app: UUID

    @Argument(help: "The company's name.")
    var company: String

    @Flag(help: "Take the link away.")
    var remove = false

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let (app, company, linked) = (app, company, !remove)
        try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.linkApp(app, to: company, linked: linked)
        }
        Output.standardError().line(linked ? "Linked." : "The link is taken away.")
    }
}

extension UUID {
    /// Reads the canonical form with 36 characters from the command line.
    static func argument(_ text: String) throws -> UUID {
        guard let id = UUID(uuidString: text) else { throw ValidationError("\(text) is no id.") }
        return id
    }
}
