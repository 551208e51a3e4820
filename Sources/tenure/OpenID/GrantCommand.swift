import ArgumentParser
import Canonical
import FoundationEssentials
import TenureAPI
import TenureClient

/// Shows and ends what applications got by log-ins with OpenID Connect.
struct GrantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "List the applications that you are logged in to, or end a grant.",
        discussion: """
            A grant is what an application got when you logged in to it with OpenID Connect. A lasting one goes on after \
            your session has ended. An admin lists the grants of another employee with --as, and ends all of them with \
            tenure client decide end-sessions.

            Examples:
              tenure grant list
              tenure grant list harbour.example bruno --as anna
              tenure grant end 5b2f7c1e-3a0d-4d6b-9f7e-1c2d3e4f5a6b
            """,
        subcommands: [GrantListCommand.self, GrantEndCommand.self])
}

/// Lists the open grants of an account.
struct GrantListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your open grants, or those of another employee. For admins with --as.",
        discussion: """
            Example:
              tenure grant list
            """)

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The admin's account that lists another employee's grants; it must be logged in here.",
            valueName: "employee"))
    var admin: String?

    @OptionGroup var account: AccountOptions

    func validate() throws {
        if admin != nil && account.employee == nil { throw ValidationError("Name the employee of the company.") }
    }

    func run() async throws {
        let (session, _, employee) = try await account.session(of: admin, try await account.options.client())
        let ofAnother = admin != nil
        let grants = try await Interruption.stopping {
            ofAnother ? try await session.grants(of: employee) : try await session.grants()
        }
        let output = Output.standardOutput()
        guard !account.options.json else {
            for grant in grants { try output.write(JSONLines.line(grant.json)) }
            return
        }
        guard !grants.isEmpty else {
            return Output.standardError().line("\(Printable.text(employee)) has no open grants.")
        }
        var table = Table([
            .init(title: "Grant"), .init(title: "Application"), .init(title: "Scopes"), .init(title: "Since"),
            .init(title: "Last used"), .init(title: "Until"), .init(title: "Lasting"),
        ])
        for grant in grants {
            table.add([
                grant.grantId.lowercased, Printable.text(grant.clientName), grant.scopes.joined(separator: " "),
                TimeText.short(grant.openedAt), TimeText.short(grant.usedAt), TimeText.short(grant.expiresAt),
                grant.isLasting ? "yes" : "no",
            ])
        }
        try output.write(table.rendered(on: output.terminal))
    }
}

/// Ends a grant of one's own.
struct GrantEndCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End one of your grants. The application's tokens end at once.",
        discussion: """
            Example:
              tenure grant end 5b2f7c1e-3a0d-4d6b-9f7e-1c2d3e4f5a6b
            """)

    @Argument(help: "The grant, as it was listed.", transform: UUID.argument)
    var grant: UUID

    @OptionGroup var account: AccountOptions

    func run() async throws {
        let session = try await account.session(try await account.options.client()).session, grant = grant
        try await Interruption.stopping { try await session.endGrant(grant) }
        guard account.options.json else { return Output.standardError().line("The grant has ended.") }
        try Output.standardOutput().write(
            JSONLines.line(["outcome": "ended", "grantId": .string(grant.lowercased)]))
    }
}
