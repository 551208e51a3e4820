import ArgumentParser
import Canonical
import Foundation
import TenureAPI
import TenureClient
import Text

/// Issues, lists and revokes invitations.
struct ClientInvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Issue, list or revoke invitations to register.",
        discussion: """
            An invitation is for one employee id, and optionally for one e-mail address. Hand it to the person \
            yourself: whoever has it can register under that id. With an address the person gets a mail as well, if \
            the service sends mails and the company links the pages. It authorizes no device key, except that of a \
            browser on the pages. It ends when you are no longer an admin.

            Examples:
              tenure client invite harbour.example erik --email erik@harbour.example
              tenure client invite list harbour.example
            """,
        subcommands: [ClientInviteIssue.self, ClientInviteList.self, ClientInviteRevoke.self],
        defaultSubcommand: ClientInviteIssue.self)
}

/// Issues an invitation, signed with this device's key.
struct ClientInviteIssue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue", abstract: "Invite somebody to register under an employee id.",
        discussion: """
            Example:
              tenure client invite issue harbour.example erik --days 3
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The employee id for the person.")
    var employee: String

    @Option(help: "The only e-mail address that the person may register.")
    var email: String?

    @Option(help: "The lifetime in days, 1 to 30.")
    var days = 7

    @OptionGroup var decider: CompanyDecider

    func validate() throws {
        guard (1...30).contains(days) else { throw ValidationError("--days takes 1 to 30.") }
    }

    func run() async throws {
        let client = try await decider.options.client()
        let command = self
        let issued = try await Interruption.stopping {
            try await command.decider.session(command.company, client).invite(
                command.employee, email: command.email, for: .seconds(command.days * 86_400))
        }
        do { try write(issued) } catch var failure as CommandFailure {
            // The service issued it already, and shows it to nobody again.
            failure.remedy =
                "The invitation counts but was not shown. Revoke it: tenure client invite revoke "
                + "\(ShellWord.quoteIfNeeded(company)) \(issued.details.invitationId.uuidString.lowercased()). "
                + "Then issue another."
            throw failure
        }
    }

    private func write(_ issued: InvitationToSend) throws {
        let output = Output.standardOutput()
        guard !decider.options.json else {
            return try output.write(
                JSONLines.line(
                    .objectOmittingNil([
                        "invitation": .string(issued.invitation), "issued": issued.details.json,
                        "position": issued.position.map(JSONValue.integer),
                    ])))
        }
        let words = Output.standardError()
        words.line(
            "\(Printable.text(employee)) may register with this invitation until "
                + "\(TimeText.short(issued.details.expiresAt)). It is shown this once:")
        try output.write(issued.invitation + "\n")
        words.line("They enter: tenure client register --invitation \(issued.invitation) …")
    }
}

/// Lists open invitations.
struct ClientInviteList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the open invitations.",
        discussion: """
            Example:
              tenure client invite list harbour.example
            """)

    @Argument(help: "The company's name.")
    var company: String

    @OptionGroup var decider: CompanyDecider

    func run() async throws {
        let client = try await decider.options.client()
        let command = self
        let invitations = try await Interruption.stopping {
            try await command.decider.session(command.company, client).invitations()
        }
        let output = Output.standardOutput()
        guard !decider.options.json else {
            for invitation in invitations { try output.write(JSONLines.line(invitation.json)) }
            return
        }
        guard !invitations.isEmpty else {
            return Output.standardError().line("\(Printable.text(company)) has no open invitations.")
        }
        var table = Table([
            .init(title: "Employee"), .init(title: "Address"), .init(title: "Issued"), .init(title: "Until"),
            .init(title: "Invitation"),
        ])
        for invitation in invitations {
            table.add([
                invitation.companyEmployeeId ?? "", invitation.email ?? "", TimeText.short(invitation.issuedAt),
                TimeText.short(invitation.expiresAt), invitation.invitationId.uuidString.lowercased(),
            ])
        }
        try output.write(table.rendered(on: output.terminal))
    }
}

/// Revokes an invitation, signed with this device's key.
struct ClientInviteRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke an unused invitation.",
        discussion: """
            Example:
              tenure client invite revoke harbour.example INVITATION
            """)

    @Argument(help: "The company's name.")
    var company: String

    @Argument(help: "The invitation's id, as `tenure client invite list` shows it.")
    var invitation: String

    @OptionGroup var decider: CompanyDecider

    func validate() throws {
        guard UUID(entered: invitation) != nil else { throw ValidationError("An invitation's id must be a UUID.") }
    }

    func run() async throws {
        guard let id = UUID(entered: invitation) else { return }
        let client = try await decider.options.client()
        let command = self
        let position = try await Interruption.stopping {
            try await command.decider.session(command.company, client).revokeInvitation(id)
        }
        guard decider.options.json else { return Output.standardError().line("The invitation is revoked.") }
        try Output.standardOutput().write(
            JSONLines.line(
                .objectOmittingNil(["outcome": "revoked", "position": position.map(JSONValue.integer)])))
    }
}
