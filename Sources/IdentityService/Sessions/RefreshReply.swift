import Canonical
import FoundationEssentials
import Keys
import Ledger
import Logging
import Postgres
import ServiceLifecycle
import TenureAPI

/// The reply to the newest refresh of a session, kept for ten seconds by the database's clock.
///
/// Apps with several tabs or threads refresh at once. Whoever presents the same token again within that time, with the
/// secret of the session's app, gets the same reply, as long as the new refresh token was not used. The reply is sealed
/// under a key that the presented token yields, and is bound to the session, its counter and the time.
struct RefreshReply: Sendable {
    /// The time for which a reply is given again.
    static let lifetime: SQL = "interval '10 seconds'"

    private let tenant: UUID
    private let session: UUID
    private let counter: Int64
    private let exchangedAt: PostgresTimestamp

    /// - Parameters:
    ///   - row: The session's row after the exchange.
    ///   - exchangedAt: The time by the database's clock.
    init(of row: SessionRow, exchangedAt: PostgresTimestamp) {
        tenant = row.tenant
        session = row.id
        counter = row.counter
        self.exchangedAt = exchangedAt
    }

    /// What the reply is bound to.
    private var place: [UInt8] {
        let numbers = [counter, exchangedAt.microsecondsSinceUnixEpoch]
        return tenant.bytes + session.bytes
            + numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
    }

    /// The statement that keeps the reply, in the place of an older one.
    ///
    /// - Parameter token: The refresh token that was exchanged.
    func insertion(_ tokens: SessionResponse, for token: String, _ ring: KeyRing) throws -> SQL {
        let sealed = try ring.sealRefreshReply(
            try Self.members.write(tokens).canonicalBytes(), token: Array(token.utf8), at: place)
        return """
            INSERT INTO tenure.refresh_reply (ledger_id, session_id, refresh_counter, exchanged_at, sealed)
            VALUES (\(tenant), \(session), \(counter), \(exchangedAt), \(sealed))
            ON CONFLICT (ledger_id, session_id) DO UPDATE SET refresh_counter = excluded.refresh_counter,
                exchanged_at = excluded.exchanged_at, sealed = excluded.sealed
            """
    }

    /// Finds the reply to the exchange that led to the row's counter; `nil` if it is ten seconds old, or was made for
    /// another token.
    static func find(
        for token: String, of row: SessionRow, _ context: ServiceContext
    ) async throws -> SessionResponse? {
        let rows = try await context.pool.query(
            """
            SELECT exchanged_at, sealed FROM tenure.refresh_reply
            WHERE ledger_id = \(row.tenant) AND session_id = \(row.id) AND refresh_counter = \(row.counter)
                AND exchanged_at > clock_timestamp() - \(lifetime) AND exchanged_at <= clock_timestamp()
            """, in: [LedgerID(row.tenant)])
        guard let found = rows.first else { return nil }
        let (exchangedAt, sealed) = try found.decode(PostgresTimestamp.self, [UInt8].self)
        let reply = RefreshReply(of: row, exchangedAt: exchangedAt)
        guard let clear = context.ring.openRefreshReply(sealed, token: Array(token.utf8), at: reply.place) else {
            return nil
        }
        return try members.read(CanonicalJSON.parse(clear), ignoresUnknown: true)
    }
}

/// Deletes the replies that are ten seconds old by the database's clock.
///
/// Nothing depends on it: an old reply is given to nobody.
struct RefreshReplySweeper: Service {
    /// The time between two sweeps.
    static let interval: Duration = .seconds(2)
    /// The largest number of rows that one sweep deletes.
    static let batch: Int64 = 1_000
    let pool: PostgresPool
    /// Finds the rows: the application role sees only ledgers that it names.
    let readerPool: PostgresPool
    let logger: Logger

    /// Sweeps until the task is cancelled.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await sweep() } catch is CancellationError { return } catch {
                    logger.warning("old replies to refreshes could not be deleted")
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Deletes what is old now.
    func sweep() async throws {
        let found = try await readerPool.withConnection { connection in
            try await connection.query(
                """
                SELECT ledger_id, session_id FROM tenure.refresh_reply
                WHERE exchanged_at <= clock_timestamp() - \(RefreshReply.lifetime) LIMIT \(Self.batch)
                """)
        }
        guard !found.isEmpty else { return }
        var statements: [SQL] = []
        var ledgers: Set<LedgerID> = []
        for row in found {
            let (ledger, session) = try row.decode(UUID.self, UUID.self)
            ledgers.insert(LedgerID(ledger))
            statements.append(
                """
                DELETE FROM tenure.refresh_reply WHERE ledger_id = \(ledger) AND session_id = \(session)
                    AND exchanged_at <= clock_timestamp() - \(RefreshReply.lifetime)
                """)
        }
        _ = try await pool.pipeline(statements, in: ledgers, waits: false)
    }
}

extension RefreshReply {
    /// The members of a kept reply. A refresh asks for no change of credentials.
    static let members = MemberTable<SessionResponse, Void>(
        "RefreshReply",
        { SessionResponse(accessToken: $0, expiresAt: $1, refreshToken: $2, notices: $3) },
        Member("access", \.accessToken), Member("expires", \.expiresAt), Member("refresh", \.refreshToken),
        Member("notices", \.notices, .array(of: NoticeResponse.memberKind, { _ in 0...Int.max })))
}
