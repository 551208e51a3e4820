import ArgumentParser
import Canonical
import IdentityService

/// Enables and disables the pages for browsers.
struct PagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pages", abstract: "Enable and disable the pages that people open in browsers.",
        discussion: """
            The pages act as one registered app. It is the one app whose secret lies in the service: whoever has the \
            database and the master key can authorize ordinary people in every company that links it.

            Examples:
              tenure pages enable --operator-key operator.key
              tenure app link harbour.example --pages
              tenure pages status
            """,
        subcommands: [PagesEnable.self, PagesDisable.self, PagesStatus.self])
}

/// Makes the app of the pages and seals its secret.
struct PagesEnable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Make the app of the pages, and seal its secret in the database.",
        discussion: """
            The app has the roles ACCESS, CREATION and AUTHORIZATION. Nobody sees its secret. If the pages were disabled, \
            the same app gets a new one, and the companies that link it need not link it again. Running services \
            serve the pages from then on.

            Needs TENURE_DATABASE_URL, TENURE_MASTER_KEY_FILE and the operator key.

            Example:
              tenure pages enable --operator-key operator.key
            """)

    @OptionGroup var options: OperatorKeyOptions

    func run() async throws {
        let (pages, changed) = try await OperatorSession.run(try await options.settings()) { commands in
            try await commands.enablePages()
        }
        let words = Output.standardError()
        guard changed else { return words.line("Nothing changed: the pages are enabled, as app \(pages.text).") }
        words.line("Enabled, as app \(pages.text). Running services serve the pages from now on.")
        words.line("Next, link the app to each company whose people are to use pages:")
        words.line("  tenure app link COMPANY --pages")
    }
}

/// Ends the pages.
struct PagesDisable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Revoke the secret of the pages, and end the sessions that they opened.",
        discussion: """
            From then on every page of every running service says that the pages are disabled. Clients of the OpenID \
            provider whose people log in there get nobody. Companies keep their link.

            Needs TENURE_DATABASE_URL, TENURE_MASTER_KEY_FILE and the operator key.

            Example:
              tenure pages disable --operator-key operator.key
            """)

    @OptionGroup var options: OperatorKeyOptions

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func run() async throws {
        let settings = try await options.settings()
        let words = Output.standardError()
        if !yes {
            words.line("All sessions that people opened on the pages end, and nobody can log in there.")
            try Confirmation.ask("Type disable to go on: ", expecting: "disable", words)
        }
        let wasEnabled = try await OperatorSession.run(settings) { try await $0.disablePages() }
        words.line(wasEnabled ? "Disabled." : "Nothing changed: the pages are not enabled.")
    }
}

/// Shows whether there are pages, and as which app.
struct PagesStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the pages are enabled, as which app, and under which address.",
        discussion: """
            Needs TENURE_DATABASE_URL and TENURE_MASTER_KEY_FILE. Changes nothing. The exit code is 6 without pages.

            Examples:
              tenure pages status
              tenure pages status --json
            """)

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let pages = try await OperatorSession.run(try await options.settings()) { try await $0.pages() }
        guard let pages else { throw PagesError.disabled }
        let output = Output.standardOutput()
        if json {
            try output.write(JSONLines.line(pages.json))
        } else {
            var table = Table([
                .init(title: "App"), .init(title: "Secret"), .init(title: "Since"), .init(title: "Address"),
            ])
            table.add([
                pages.text, pages.isUsable ? pages.secretId.lowercased : "not in force", pages.since.description,
                pages.publicURL ?? "not served yet",
            ])
            try output.write(table.rendered(on: output.terminal))
        }
        guard !pages.isUsable else { return }
        throw CommandFailure(
            .failure, "the secret of the pages is not in force, or does not open with these master keys",
            remedy: "Give them a new one: tenure pages enable --operator-key FILE")
    }
}

extension PagesAppView {
    /// The id of the app as people copy it.
    var text: String { appId.lowercased }

    /// The object of ``PagesStatus``.
    var json: JSONValue {
        .object([
            "appId": .string(text), "secretId": .string(secretId.lowercased), "isUsable": .bool(isUsable),
            "publicUrl": publicURL.map(JSONValue.string) ?? JSONValue.null,
            "since": .string(since.description),
        ])
    }
}
