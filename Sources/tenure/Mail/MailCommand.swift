import ArgumentParser
import Canonical
import FoundationEssentials
import IdentityService

/// Shows the mails that wait, and sends or drops them.
struct MailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "List the mails that wait to be sent, send them now, or give them up.",
        discussion: """
            A mail waits after a mail server did not take it: 10 seconds, then double, at most an hour, until it expires. \
            The log of the service says why: "a mail waits". See docs/mail.md.

            Examples:
              tenure mail list
              tenure mail retry --all
              tenure mail drop 0f8fad5b-d9cb-469f-a165-70867728950e
            """, subcommands: [MailList.self, MailRetry.self, MailDrop.self])
}

/// Lists the mails of the outbox.
struct MailList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the mails that wait, without addresses.",
        discussion: """
            The first 1,000 are listed, those whose attempt comes next first.

            Needs TENURE_READER_DATABASE_URL.

            Example:
              tenure mail list --json | jq -r .mailId
            """)

    static let limit = 1_000

    @OptionGroup var options: SettingsOptions

    @Flag(help: "Print one JSON object per mail.")
    var json = false

    func run() async throws {
        let mails = try await KeySession.reading(try await options.settings()) { pool in
            try await WaitingMail.all(pool, limit: Self.limit + 1)
        }
        let shown = Array(mails.prefix(Self.limit)), output = Output.standardOutput(), now = Timestamp.now()
        if json {
            for mail in shown { try output.write(JSONLines.line(Self.json(mail))) }
        } else if !shown.isEmpty {
            try output.write(Self.table(shown, at: now).rendered(on: output.terminal))
        }
        let more = mails.count > shown.count ? ", and there are more" : ""
        Output.standardError().line(mails.isEmpty ? "No mail waits." : "\(Noun.mail.counted(shown.count))\(more).")
    }

    static func table(_ mails: [WaitingMail], at time: Timestamp) -> Table {
        var table = Table([
            .init(title: "Mail"), .init(title: "About"), .init(title: "To"),
            .init(title: "Attempts", alignment: .right), .init(title: "Next attempt"), .init(title: "Expires"),
            .init(title: "Ledger"),
        ])
        for mail in mails {
            table.add([
                mail.id.lowercased, mail.kind, "\(mail.recipientKind) \(mail.recipient.lowercased)", "\(mail.attempts)",
                mail.isBeingSent(at: time) ? "being sent" : TimeText.short(mail.nextTry),
                TimeText.short(mail.expiresAt), mail.ledger.lowercased,
            ])
        }
        return table
    }

    static func json(_ mail: WaitingMail) -> JSONValue {
        .objectOmittingNil([
            "mailId": .uuid(mail.id), "kind": .string(mail.kind), "recipientKind": .string(mail.recipientKind),
            "recipientId": .uuid(mail.recipient), "ledger": .uuid(mail.ledger),
            "attempts": .integer(Int64(mail.attempts)), "nextTry": .timestamp(mail.nextTry),
            "leaseUntil": mail.leaseUntil.map { .timestamp($0) }, "expiresAt": .timestamp(mail.expiresAt),
        ])
    }
}

/// Lets mails be sent now.
struct MailRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Let a mail, or all of them, be sent now instead of after the wait.",
        discussion: """
            A running service sends them within a second. For use after a mail server was away.

            Needs TENURE_DATABASE_URL, TENURE_READER_DATABASE_URL and TENURE_MASTER_KEY_FILE.

            Example:
              tenure mail retry --all
            """)

    @Argument(help: "The mail's id, as tenure mail list prints it.")
    var mail: String?

    @Flag(help: "All mails that wait.")
    var all = false

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard (mail == nil) == all else { throw ValidationError("Pass the id of a mail, or --all.") }
        _ = try mail.map(MailCommand.id)
    }

    func run() async throws {
        let id = try mail.map(MailCommand.id)
        let changes = try await MailCommand.change(try await options.settings(), id) { try await $0.retry($1) }
        if id != nil, let change = changes.first { try MailCommand.require(change) }
        let count = changes.count { $0 == .done }
        Output.standardError().line("\(Noun.mail.counted(count)) will be sent now.")
    }
}

/// Gives a mail up.
struct MailDrop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Give a mail up. It is not sent, and the log says so.",
        discussion: """
            The log gets MailFailed with the code dropped. Notices of a recovery or a return let its owner stop it: do \
            not drop those without a reason.

            Needs TENURE_DATABASE_URL, TENURE_READER_DATABASE_URL and TENURE_MASTER_KEY_FILE.

            Example:
              tenure mail drop 0f8fad5b-d9cb-469f-a165-70867728950e
            """)

    @Argument(help: "The mail's id, as tenure mail list prints it.")
    var mail: String

    @OptionGroup var options: SettingsOptions

    func validate() throws { _ = try MailCommand.id(mail) }

    func run() async throws {
        let id = try MailCommand.id(mail)
        let changes = try await MailCommand.change(try await options.settings(), id) { try await $0.drop($1) }
        if let change = changes.first { try MailCommand.require(change) }
        Output.standardError().line("The mail was given up.")
    }
}

extension MailCommand {
    fileprivate static func id(_ text: String) throws -> UUID {
        guard let id = UUID(lowercased: text.lowercased()) else {
            throw ValidationError("A mail's id has the form of tenure mail list.")
        }
        return id
    }

    /// Changes one mail, or each that waits now.
    ///
    /// - Throws: ``CommandFailure`` with exit code 6 if there is no such mail.
    fileprivate static func change(
        _ settings: Settings, _ id: UUID?,
        _ body: @Sendable @escaping (OperatorUseCases, WaitingMail) async throws -> MailChange
    ) async throws -> [MailChange] {
        let mails = try await KeySession.reading(settings) { pool in
            try await WaitingMail.all(pool, id: id, limit: id == nil ? 1_000_000 : 1)
        }
        guard id == nil || !mails.isEmpty else { throw gone }
        guard !mails.isEmpty else { return [] }
        return try await OperatorSession.run(settings) { commands in
            var changes: [MailChange] = []
            for mail in mails { changes.append(try await body(commands, mail)) }
            return changes
        }
    }

    /// Throws unless a change was made.
    fileprivate static func require(_ change: MailChange) throws {
        switch change {
        case .done: break
        case .gone: throw gone
        case .beingSent:
            throw CommandFailure(
                .busy, "a process is sending the mail now", remedy: "Run the command again in two minutes.")
        }
    }

    private static var gone: CommandFailure {
        CommandFailure(
            .notFound, "no such mail waits: it was sent or given up, or there never was one",
            remedy: "tenure mail list shows what waits.")
    }
}
