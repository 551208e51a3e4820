package import Canonical
import FoundationEssentials
import Identity
import Ledger
package import Postgres

/// How many mails wait, and since when.
package struct MailBacklog: Sendable, Equatable {
    package let count: Int64
    /// When the oldest of them was queued; `nil` for none.
    package let oldest: Timestamp?

    /// A mail to an admin may wait for its hour before its first attempt.
    private static var isDue: SQL { "(attempts > 0 OR kind <> \(MailKind.somebodyWaits.rawValue))" }

    /// Reads the outbox with connections of the reader role, which sees all ledgers.
    ///
    /// A mail that was tried more often is older, and one that was not tried yet is due since it was queued. So the
    /// events of a few rows tell which is the oldest, however many wait.
    ///
    /// - Throws: `PostgresError`.
    package static func read(_ pool: PostgresPool) async throws -> MailBacklog {
        try await pool.withConnection { connection in
            let count = try await connection.query(
                "SELECT count(*) FROM tenure.mail_outbox WHERE \(isDue)"
            ).first?.decode(Int64.self)
            let mails = try await connection.query(
                """
                SELECT ledger_id, mail_id FROM tenure.mail_outbox WHERE \(isDue)
                ORDER BY attempts DESC, next_try LIMIT 20
                """
            ).map { try $0.decode(UUID.self, UUID.self) }
            let rows = try await connection.query(
                """
                SELECT min("time") FROM tenure.event WHERE ledger_id = ANY (\(mails.map(\.0)))
                    AND stream_id = ANY (\(mails.map(\.1))) AND kind = 'mail' AND version = 1
                """)
            let oldest = try rows.first?.decode(PostgresTimestamp?.self)
            return MailBacklog(
                count: count ?? 0, oldest: oldest.map { Timestamp(microseconds: $0.microsecondsSinceUnixEpoch) })
        }
    }
}
