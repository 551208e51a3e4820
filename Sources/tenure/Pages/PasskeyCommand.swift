import ArgumentParser
import Identity
import IdentityService

/// Manages what passkeys need.
struct PasskeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey", abstract: "Set the name and the origins of passkeys, and export what they signed.",
        discussion: """
            Examples:
              tenure passkey origins id.example.com https://id.example.com --operator-key operator.key
              tenure passkey show
              tenure passkey export 42 --company harbour.example
            """,
        subcommands: [PasskeyOrigins.self, PasskeyShow.self, PasskeyExport.self])
}

/// Sets the name that passkeys are made for, and the origins that may use them.
struct PasskeyOrigins: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "origins", abstract: "Set the name of passkeys, and the origins that may use them.",
        discussion: """
            The name (the RP ID of WebAuthn) is the host of TENURE_PUBLIC_URL, and no IP address. Passkeys belong to it for \
            ever: under another name nobody's passkey works. A service offers passkeys only if its public URL is among \
            the origins, and a service whose public URL is not refuses to start.

            With a parent domain as the name, every page of every host below it can ask for the passkeys and pass the \
            answers on, if its origin is listed here. That needs --accept-parent, and another name than before --accept-loss.

            Needs TENURE_DATABASE_URL, TENURE_MASTER_KEY_FILE and the operator key.

            Example:
              tenure passkey origins id.example.com https://id.example.com --operator-key operator.key
            """)

    @Argument(help: "The name of passkeys, such as id.example.com.")
    var name: String

    @Argument(help: "The origins, such as https://id.example.com; one to sixteen.")
    var origins: [String]

    @Flag(help: "Accept a name that is a parent domain of an origin's host.")
    var acceptParent = false

    @Flag(help: "Accept another name than before, under which nobody's passkey works.")
    var acceptLoss = false

    @OptionGroup var options: OperatorKeyOptions

    func validate() throws {
        let rules: PasskeyRules
        do { rules = try PasskeyRules(rpID: name, origins: origins) } catch {
            throw ValidationError("\(error.reason)")
        }
        let below = rules.origins.filter { $0.host != name }
        guard below.isEmpty || acceptParent else {
            throw ValidationError(
                "\(name) is a parent domain of \(below[0].host ?? ""): pages of hosts below it could use the passkeys."
                    + " Name the host itself, or give --accept-parent.")
        }
    }

    func run() async throws {
        let rules = try PasskeyRules(rpID: name, origins: origins)
        let changed = try await OperatorSession.run(try await options.settings()) { [acceptLoss] commands in
            if let former = try await commands.origins()?.rpID, former != rules.rpID, !acceptLoss {
                throw ValidationError(
                    "Passkeys belong to \(former), and none would work under \(rules.rpID). If that is meant, give"
                        + " --accept-loss.")
            }
            return try await commands.setOrigins(rules)
        }
        Output.standardError().line(
            changed ? "Set. Services offer passkeys of \(name) from now on." : "Nothing changed: they are set.")
    }
}

/// Shows the name and the origins of passkeys.
struct PasskeyShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the name and the origins of passkeys.",
        discussion: """
            Example:
              tenure passkey show
            """)

    @OptionGroup var options: OperatorKeyOptions

    func run() async throws {
        let rules = try await OperatorSession.run(try await options.settings()) { try await $0.origins() }
        guard let rules else {
            Output.standardError().line("No origins are set: passkeys are not offered.")
            return
        }
        let output = Output.standardOutput()
        try output.line(rules.rpID)
        for origin in rules.origins { try output.line("  \(origin.text)") }
    }
}
