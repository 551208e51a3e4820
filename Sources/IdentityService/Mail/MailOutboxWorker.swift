package import Canonical
package import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Logging
package import Postgres
import ServiceLifecycle

/// Sends the mails of the outbox. Any number of processes may run a worker.
///
/// A worker takes a due row with a lease, sends the mail without a transaction, and then deletes the row in the append of
/// `MailSent` or `MailFailed`. A crash in between leaves the row: the next worker sends the mail again, with the same
/// `Message-ID`. So a mail is sent at least once, and no mail is without its event.
///
/// A row says whether a mail server may know of its mail: between attempts it has a lease then, and none otherwise. While
/// a worker has the lease of a mail that no server knows of, the next try is at the end of the lease.
package struct MailOutboxWorker: Service {
    /// The time between two looks at the outbox.
    static let interval: Duration = .seconds(1)
    /// The time for which no other worker takes a row: longer than a transport takes.
    static let lease: Duration = .seconds(120)
    /// The wait after the first failure. It doubles with every further one.
    static let firstWait: Duration = .seconds(10)
    static let longestWait: Duration = .seconds(3_600)
    /// The largest number of mails that one look finds.
    static let batch: Int64 = 32
    /// The number of mails that are sent at once.
    static let lanes = 4

    private let context: ServiceContext
    private let readerPool: PostgresPool
    private let transport: any MailTransport
    private let draft: MailDraft
    private let counts: MailCounts

    /// - Parameters:
    ///   - readerPool: Finds due rows in all ledgers: the application role sees only ledgers that it names.
    ///   - transport: Takes the mails.
    ///   - whoWaits: Reads who waits for the admins of a tenant, in the order of lists.
    package init(
        context: ServiceContext, settings: MailSettings, readerPool: PostgresPool, transport: any MailTransport,
        counts: MailCounts = MailCounts(),
        whoWaits: @escaping @Sendable (TenantSnapshot, Timestamp) async throws -> [WaitingEntry] = { _, _ in [] }
    ) {
        self.context = context
        self.readerPool = readerPool
        self.transport = transport
        self.counts = counts
        draft = MailDraft(context: context, settings: settings, whoWaits: whoWaits)
    }

    /// Sends until the task is cancelled or a graceful shutdown begins. A mail that is being sent is finished.
    package func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            do { try await round() } catch is CancellationError { return } catch {
                context.logger.warning("mails could not be sent", metadata: ["error": "\(error)"])
            }
            await cancelWhenGracefulShutdown { try? await Task.sleep(for: Self.interval) }
        }
    }

    /// Sends what is due now, and returns the number of rows that were taken.
    @discardableResult
    package func round() async throws -> Int {
        let due = try await due(at: context.settings.now())
        var taken = 0
        for start in stride(from: 0, to: due.count, by: Self.lanes) {
            guard !Task.isShuttingDownGracefully else { break }
            taken += await attempt(Array(due[start..<min(start + Self.lanes, due.count)]))
        }
        return taken
    }

    /// Works on some rows at once, and returns the number of those that were taken.
    private func attempt(_ places: [Place]) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for place in places { group.addTask { await attempt(place) } }
            return await group.reduce(into: 0) { count, isTaken in count += isTaken ? 1 : 0 }
        }
    }

    /// Works on one row. An error leaves the row to the next worker after the lease, and stops no other mail.
    private func attempt(_ place: Place) async -> Bool {
        do { return try await work(on: place) } catch {
            context.logger.warning(
                "a mail could not be worked on", metadata: ["mail": "\(place.id)", "error": "\(error)"])
            return true
        }
    }

    private struct Place: Sendable {
        var ledger: LedgerID
        var id: MailID
    }

    private func due(at time: Timestamp) async throws -> [Place] {
        let now = time.postgres
        return try await readerPool.withConnection { connection in
            try await connection.query(
                """
                SELECT ledger_id, mail_id FROM tenure.mail_outbox
                WHERE next_try <= \(now) AND (lease_until IS NULL OR lease_until <= \(now))
                ORDER BY next_try LIMIT \(Self.batch)
                """)
        }.map { row in
            let (ledger, id) = try row.decode(UUID.self, UUID.self)
            return Place(ledger: LedgerID(ledger), id: MailID(id))
        }
    }

    /// Takes a row, if it is still due and nobody else has it, and sends its mail.
    private func work(on place: Place) async throws -> Bool {
        let time = context.settings.now()
        let row: OutboxRow
        switch try await take(place, at: time) {
        case .left: return false
        case .unrecorded:
            try await endUnrecorded(place)
            return true
        case .taken(let taken): row = taken
        }
        guard time < row.expiresAt else {
            try await giveUp(row, MailFailure.expired)
            return true
        }
        switch try await draft.compose(row, at: time) {
        case .givenUp(let reason): try await giveUp(row, reason)
        case .ready(let mail):
            switch await transport.send(mail) {
            case .accepted: try await end(row, MailSent(attempts: row.attempts))
            case .permanentlyRefused(let reply):
                try await end(row, MailFailed(attempts: row.attempts, code: code(MailFailure.refused(reply))))
            case .temporarilyRefused(let reply): try await postpone(row, "reply \(reply)")
            case .unreached(let reason): try await postpone(row, reason, isUntold: row.isUntold)
            case .undelivered(let reason): try await postpone(row, reason)
            }
        }
        return true
    }

    /// What became of a look at a row.
    private enum Take {
        /// Somebody else has it, or it is not what the service wrote.
        case left
        /// No event says that the mail is to be sent.
        case unrecorded
        /// This worker has the lease.
        case taken(OutboxRow)
    }

    private func take(_ place: Place, at time: Timestamp) async throws -> Take {
        let ledger = place.ledger.uuid, id = place.id.uuid, now = time.postgres
        let end = time.adding(Self.lease).postgres
        let rows = try await context.pool.query(
            """
            UPDATE tenure.mail_outbox SET lease_until = \(end), attempts = attempts + 1,
                next_try = CASE WHEN lease_until IS NULL THEN \(end) ELSE next_try END
            WHERE ledger_id = \(ledger) AND mail_id = ANY (ARRAY(
                SELECT mail_id FROM tenure.mail_outbox
                WHERE ledger_id = \(ledger) AND mail_id = \(id) AND next_try <= \(now)
                    AND (lease_until IS NULL OR lease_until <= \(now))
                FOR UPDATE SKIP LOCKED))
            RETURNING recipient_kind, recipient_id, kind, locale, attempts, next_try = lease_until, expires_at, mac
            """, in: [place.ledger])
        guard let row = rows.first else { return .left }
        let (recipient, recipientId, kind, locale, attempts, isUntold, expiry, code) = try row.decode(
            String.self, UUID.self, String.self, String?.self, Int32.self, Bool.self, PostgresTimestamp.self,
            [UInt8]?.self)
        guard let kind = MailKind(rawValue: kind), let recipient = MailRecipient(kind: recipient, uuid: recipientId)
        else {
            // A newer program queued it, and one of its processes will send it.
            return .left
        }
        let event = MailQueued(
            mailID: place.id, recipient: recipient, kind: kind, locale: locale.flatMap(MailLanguage.init),
            expiresAt: Timestamp(microseconds: expiry.microsecondsSinceUnixEpoch))
        let stream = StreamID.mail(place.id, in: place.ledger)
        let events = try await context.reader.streams([stream])[stream] ?? []
        guard events.count == 1, try EventCodec.payload(of: events[0]) is MailQueued else {
            return .unrecorded
        }
        guard
            context.rows.accepts(MailRow(ledger: ledger, mail: event, nextTry: time, code: code))
        else { return .left }
        return .taken(
            OutboxRow(
                ledger: place.ledger, id: place.id, kind: kind, recipient: recipient, locale: event.locale,
                attempts: Int(attempts), isUntold: isUntold, expiresAt: event.expiresAt, queued: events[0]))
    }

    private func code(_ text: String) -> ReasonCode {
        guard let code = ReasonCode(text) else { preconditionFailure("a code of a mail is malformed") }
        return code
    }
}

/// The ends of an attempt.
extension MailOutboxWorker {
    /// Deletes a row without an event that it could end with: whoever wrote it did not queue it, or it was put back.
    private func endUnrecorded(_ place: Place) async throws {
        let deletion = OutboxRow.deletion(place.id, in: place.ledger)
        let deleted = try await context.pool.query("\(deletion) RETURNING mail_id", in: [place.ledger])
        // A slower worker may have ended its mail since the look.
        guard !deleted.isEmpty else { return }
        context.rows.counts.count(MailRow.table.coded, hasCode: true)
        counts.add(.unrecorded)
        context.logger.error(
            "a row of the outbox has no mail in the log, and is deleted; nothing was sent",
            metadata: ["mail": "\(place.id)", "ledger": "\(place.ledger)"])
    }

    /// Deletes the row in the append of its last event. Of two workers that sent the same mail one appends, and gets
    /// `true`.
    @discardableResult
    private func end(_ row: OutboxRow, _ event: any EventPayload) async throws -> Bool {
        let stream = StreamID.mail(row.id, in: row.ledger)
        var recorder = EventRecorder(context, at: context.settings.now())
        try recorder.add(event, to: stream, version: 1)
        recorder.statements = [OutboxRow.deletion(row.id, in: row.ledger)]
        do { try await recorder.append() } catch {
            guard error.code == .versionConflict else { throw error }
            return false
        }
        switch event {
        case is MailSent: counts.add(.sent)
        case let failed as MailFailed where failed.code.text == MailFailure.notNeeded: counts.add(.notNeeded)
        default: counts.add(.failed)
        }
        return true
    }

    /// Ends a mail that this lease does not send. A mail that no mail server was told of gets its charge back, once.
    private func giveUp(_ row: OutboxRow, _ reason: String) async throws {
        let isEnded = try await end(row, MailFailed(attempts: row.attempts - 1, code: code(reason)))
        if isEnded, row.isUntold { try await refund(row) }
    }

    /// Takes back what a mail about a device was charged. Mails of all other kinds wait for longer than their address
    /// waits for the next one.
    private func refund(_ row: OutboxRow) async throws {
        guard row.kind == .deviceConfirmation, case .user(let id) = row.recipient,
            let wait = try await BrowserWaitRow.find(
                mail: row.id, in: TenantID(row.ledger.uuid), context, at: Timestamp(microseconds: 0)),
            let user = try? await context.userWithAddress(id), let text = user.email?.text,
            user.address?.place.position == wait.mail?.address, let address = try? EmailAddress(recorded: text)
        else { return }
        try await context.refundMail(to: address.key)
    }

    /// Gives the lease back, and waits: 10 seconds after the first attempt, then double, at most an hour. The last wait
    /// ends with the mail.
    ///
    /// - Parameter isUntold: Whether no mail server was told of the mail.
    private func postpone(_ row: OutboxRow, _ reason: String, isUntold: Bool = false) async throws {
        let time = context.settings.now(), lease = isUntold ? nil : time.postgres
        let next = min(time.adding(Self.wait(after: row.attempts)), row.expiresAt).postgres
        let ledger = row.ledger.uuid, id = row.id.uuid, attempts = Int32(row.attempts)
        context.logger.notice(
            "a mail waits", metadata: ["mail": "\(row.id)", "attempts": "\(row.attempts)", "reason": "\(reason)"])
        counts.add(.postponed)
        // Another worker that took the row meanwhile has counted further.
        _ = try await context.pool.query(
            """
            UPDATE tenure.mail_outbox SET next_try = \(next), lease_until = \(lease)
            WHERE ledger_id = \(ledger) AND mail_id = \(id) AND attempts = \(attempts)
            """, in: [row.ledger])
    }

    /// The wait after an attempt, counted from 1.
    static func wait(after attempts: Int) -> Duration {
        min(firstWait * (1 << min(max(attempts, 1) - 1, 20)), longestWait)
    }
}
