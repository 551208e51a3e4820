package import Canonical
import EventCoding
package import FoundationEssentials
import Identity
import Ledger
package import Postgres

/// A mail that waits to be sent, as the operator sees it. It has no address.
package struct WaitingMail: Sendable, Equatable {
    package let id: UUID
    /// The ledger of its event: a tenant's, or the directory of the user.
    package let ledger: UUID
    /// What it is about, such as `verify`.
    package let kind: String
    /// `user` or `identity`.
    package let recipientKind: String
    /// The user or the M-Pin identity.
    package let recipient: UUID
    /// The number of attempts so far.
    package let attempts: Int
    /// The next attempt comes no sooner.
    package let nextTry: Timestamp
    /// Until when a process works on it; `nil` if none does.
    package let leaseUntil: Timestamp?
    /// When it is given up.
    package let expiresAt: Timestamp

    /// Whether a process works on it at a time.
    package func isBeingSent(at time: Timestamp) -> Bool { leaseUntil.map { time < $0 } ?? false }
}

/// What became of a command about a mail.
package enum MailChange: Sendable, Equatable {
    case done
    /// A process is sending the mail.
    case beingSent
    /// The mail was sent or given up meanwhile.
    case gone
}

extension WaitingMail {
    /// Returns the mails of the outbox, those whose attempt comes next first.
    ///
    /// - Parameters:
    ///   - pool: Connections of the reader role, which sees all ledgers.
    ///   - id: The one mail to return; all by default.
    ///   - limit: The largest number of mails.
    /// - Throws: `PostgresError`.
    package static func all(_ pool: PostgresPool, id: UUID? = nil, limit: Int) async throws -> [WaitingMail] {
        let one: SQL = id.map { "WHERE mail_id = \($0)" } ?? ""
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT mail_id, ledger_id, kind, recipient_kind, recipient_id, attempts, next_try, lease_until, expires_at
                FROM tenure.mail_outbox \(one) ORDER BY next_try, mail_id LIMIT \(Int64(limit))
                """)
        }
        return try rows.map { row in
            let (id, ledger, kind, recipientKind, recipient, attempts, next, lease, end) = try row.decode(
                UUID.self, UUID.self, String.self, String.self, UUID.self, Int32.self, PostgresTimestamp.self,
                PostgresTimestamp?.self, PostgresTimestamp.self)
            return WaitingMail(
                id: id, ledger: ledger, kind: kind, recipientKind: recipientKind, recipient: recipient,
                attempts: Int(attempts), nextTry: next.time, leaseUntil: lease?.time,
                expiresAt: end.time)
        }
    }
}

extension PostgresTimestamp {
    fileprivate var time: Timestamp { Timestamp(microseconds: microsecondsSinceUnixEpoch) }
}

/// The operator's commands about mails.
extension OperatorUseCases {
    /// Lets a mail be sent now instead of after its wait.
    ///
    /// - Throws: `PostgresError`.
    package func retry(_ mail: WaitingMail) async throws -> MailChange {
        let now = context.settings.now().postgres
        let ledger = LedgerID(mail.ledger)
        let rows = try await context.pool.query(
            """
            UPDATE tenure.mail_outbox SET next_try = least(next_try, \(now))
            WHERE ledger_id = \(mail.ledger) AND mail_id = \(mail.id) AND (lease_until IS NULL OR lease_until <= \(now))
            RETURNING mail_id
            """, in: [ledger])
        return try await rows.isEmpty ? standing(mail) : .done
    }

    /// Gives a mail up: `MailFailed` with the code `dropped`, in the transaction that deletes the row. A row without a
    /// mail in the log is only deleted.
    ///
    /// - Throws: `LedgerError` and `PostgresError`.
    package func drop(_ mail: WaitingMail) async throws -> MailChange {
        let ledger = LedgerID(mail.ledger), id = MailID(mail.id), stream = StreamID.mail(id, in: ledger)
        let current = try await standing(mail)
        guard current == .done else { return current }
        let deletion = OutboxRow.deletion(id, in: ledger)
        guard try await context.reader.streams([stream])[stream, default: []].count == 1 else {
            _ = try await context.pool.query(deletion, in: [ledger])
            return .done
        }
        guard let code = ReasonCode(MailFailure.dropped) else { return .gone }
        do {
            try await append(
                [MailFailed(attempts: mail.attempts, code: code)], to: stream, version: 1, effects: [deletion])
        } catch let error as LedgerError where error.code == .versionConflict {
            return .gone
        }
        return .done
    }

    /// Returns whether a mail is there and nobody is sending it, which `done` stands for.
    private func standing(_ mail: WaitingMail) async throws -> MailChange {
        let rows = try await context.pool.query(
            """
            SELECT lease_until FROM tenure.mail_outbox WHERE ledger_id = \(mail.ledger) AND mail_id = \(mail.id)
            """, in: [LedgerID(mail.ledger)])
        guard let row = rows.first else { return .gone }
        let lease = try row.decode(PostgresTimestamp?.self)?.time
        return lease.map { context.settings.now() < $0 } ?? false ? .beingSent : .done
    }
}
