package import Canonical
import EventCoding
import FoundationEssentials
package import Identity
package import Keys
package import Ledger
package import Postgres

/// A mail that an append puts into the outbox. Event and row belong into the same append:
///
///     let mail = QueuedMail(.activation, to: .identity(id), in: ledger, until: end, at: call.time)
///     try recorder.queue(mail)
///
/// Neither holds the address or the link. The worker derives both when it sends the mail.
package struct QueuedMail: Sendable {
    /// The event of the append.
    package let event: MailQueued
    /// The stream of the event; it does not exist yet, so the append expects version 0.
    package let stream: StreamID
    private let time: Timestamp
    /// The budget that the append counts the mail in, if it is a limited notice.
    private var budget: NoticeBudget?
    /// Where the request came from that caused the mail, and the key that seals it.
    fileprivate var source: (address: Personal, keys: [UUID: PersonKey])?

    /// - Parameters:
    ///   - ledger: The ledger of the event and the row. A mail in a tenant's ledger names the tenant.
    ///   - end: When the mail is given up, and when the link of a mail to a user expires.
    ///   - languages: The language tags of the reader, best first.
    ///   - id: The id, of which there is one mail only.
    package init(
        _ kind: MailKind, to recipient: MailRecipient, in ledger: LedgerID, until end: Timestamp, at time: Timestamp,
        languages: [String] = [], id: MailID = MailID(UUID())
    ) {
        event = MailQueued(
            mailID: id, recipient: recipient, kind: kind, locale: MailLanguage.choose(languages), expiresAt: end)
        stream = .mail(id, in: ledger)
        self.time = time
    }

    /// The same mail, counted in a budget by the append that queues it.
    func counted(by budget: NoticeBudget) -> QueuedMail {
        var mail = self
        mail.budget = budget
        return mail
    }

    /// The same mail, which says from which network somebody caused it.
    ///
    /// - Parameters:
    ///   - address: The IP address; `nil` if it is unknown.
    ///   - key: The key of the account that the mail is about, which seals the address in the event.
    func caused(from address: String?, sealedBy key: PersonKey?, of employee: EmployeeID) -> QueuedMail {
        guard let address, let key else { return self }
        var mail = self
        mail.source = (Personal(owner: employee.uuid, text: address), [employee.uuid: key])
        return mail
    }

    /// The statements that insert the row and count the mail. They touch the ledger of ``stream`` only.
    func statements(_ ring: KeyRing) -> [SQL] { [insertion(ring)] + (budget.map { [$0.counting] } ?? []) }

    /// The statement that inserts the row. It touches the ledger of ``stream`` only.
    package func insertion(_ ring: KeyRing) -> SQL {
        MailRow(ledger: stream.ledger.uuid, mail: event, nextTry: time).insertion(ring)
    }
}

/// The row of a mail. The lease and the attempts are outside the code: SQL counts them.
struct MailRow: CodedRow {
    var ledger: UUID
    var mail: MailQueued
    var nextTry: Timestamp
    var code: [UInt8]?

    private var locale: String? { mail.locale?.rawValue }

    static let table = RowTable<MailRow>(
        "mail_outbox",
        written: Column(key: "ledger_id", \.ledger), Column(key: "mail_id", \.mail.mailID.uuid),
        Column("recipient_kind", \.mail.recipient.kind), Column("recipient_id", \.mail.recipient.uuid),
        Column("kind", \.mail.kind.rawValue), Column("locale", \.locale),
        Column(outside: "next_try", \.nextTry), Column("expires_at", \.mail.expiresAt), .code(\.code))
}

extension MailRow {
    /// How far a mail of the outbox is.
    enum Progress: Sendable {
        /// Its first attempt is not over.
        case fresh
        /// No mail server takes mails, so none was told of this one.
        case held
    }

    /// Reads how far a mail is; `nil` once a mail server may know of it, or after its end.
    static func progress(
        of mail: UUID, in tenant: UUID, _ context: ServiceContext, at time: Timestamp
    ) async throws -> Progress? {
        let rows = try await context.pool.query(
            """
            SELECT attempts <= CASE WHEN lease_until IS NULL THEN 0 ELSE 1 END FROM tenure.mail_outbox
            WHERE ledger_id = \(tenant) AND mail_id = \(mail)
                AND (lease_until IS NULL OR (lease_until = next_try AND lease_until > \(time.postgres)))
            """, in: [LedgerID(tenant)])
        return try rows.first.map { try $0.decode(Bool.self) ? .fresh : .held }
    }
}

extension StreamID {
    package static func mail(_ id: MailID, in ledger: LedgerID) -> StreamID {
        StreamID(ledger: ledger, kind: "mail", id: id.uuid)
    }
}

extension EventRecording {
    /// Adds a mail.
    mutating func queue(_ mail: QueuedMail) throws {
        var metadata = recorder.metadata
        metadata.source = mail.source?.address
        try recorder.add(
            mail.event, to: mail.stream, version: 0, keys: mail.source?.keys ?? [:], metadata: metadata)
        recorder.statements += mail.statements(recorder.context.ring)
    }
}

/// Mails that tell the owner of an account what was decided about it. Only a verified address gets one.
extension ServiceContext {
    /// The time for which a notice is worth sending: the shortest delay of a recovery is within it.
    static let noticeLifetime: Duration = .seconds(259_200)

    /// The notice of a decision about an employee; `nil` if the address is not verified, no mail can be sent, or the
    /// account has had its notices of this kind for the day.
    ///
    /// The mail is queued in the tenant's ledger, so it names the tenant. It never fails the decision: who cannot be
    /// told by mail sees the notice in the next session.
    ///
    /// - Parameter address: The IP address of whoever decided; `nil` if it is unknown.
    func notice(
        _ kind: MailKind, about employee: EmployeeSnapshot, in tenant: TenantID, from address: String? = nil,
        at time: Timestamp
    ) async throws -> QueuedMail? {
        guard mail != nil, let account = employee.state.account else { return nil }
        let user = try await StateLoader(reader: reader).user(account.user)
        guard user.state.holdsEmail, user.state.isEmailVerified || account.isEmailVerified else { return nil }
        let keys = try await personKeys.load([employee.id.uuid], ledger: tenant.uuid)
        let notice = QueuedMail(
            kind, to: .user(account.user), in: LedgerID(tenant.uuid), until: time.adding(Self.noticeLifetime), at: time
        ).caused(from: address, sealedBy: keys[employee.id.uuid], of: employee.id)
        guard NoticeBudget.limits(kind) else { return notice }
        let budget = NoticeBudget(kind, about: employee.id, in: tenant, at: time, ring)
        return try await budget.isSpent(pool) ? nil : notice.counted(by: budget)
    }
}
