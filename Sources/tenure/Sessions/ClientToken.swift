import ArgumentParser
import Canonical
import TenureAPI
import TenureClient

/// Prints an access token of the account that is logged in on this device, for scripts.
struct ClientToken: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print an access token of the account that is logged in on this device.",
        discussion: """
            The token is valid for at least thirty seconds and at most five minutes; the command refreshes the session \
            if need be. Whoever has the token acts as the account, so pass it on by a variable or a pipe, not in a file.

            Examples:
              TOKEN=$(tenure client token)
              tenure client token harbour.example erik --resource https://payroll.example/api
            """)

    @OptionGroup var account: AccountOptions

    @Option(
        help: ArgumentHelp(
            "Print a token for this resource of the app instead. Tenure's own API refuses it.", valueName: "URI"))
    var resource: String?

    func run() async throws {
        let client = try await account.options.client()
        let session = try await account.session(client).session
        let resource = resource
        let printed = try await Interruption.stopping {
            guard let resource else { return PrintedToken(try await session.accessToken()) }
            let issued = try await session.resourceToken(for: resource)
            return PrintedToken(issued.accessToken, expiresAt: issued.expiresAt)
        }
        try Output.standardOutput().write(printed.text(json: account.options.json))
    }
}

/// A token as the command prints it. Its description is redacted, so that no token reaches a log.
struct PrintedToken: Sendable, Redacted {
    var token: String
    var expiresAt: Timestamp?

    init(_ token: String, expiresAt: Timestamp? = nil) {
        self.token = token
        self.expiresAt = expiresAt
    }

    /// Returns the token in a line of its own, or as a JSON object.
    func text(json: Bool) -> String {
        guard json else { return token + "\n" }
        return JSONLines.line(
            .objectOmittingNil([
                "accessToken": .string(token), "expiresAt": expiresAt.map { .timestamp($0) },
            ]))
    }
}
