import Canonical
import FoundationEssentials
import Ledger
import Logging
import Postgres
import ServiceLifecycle

/// Deletes the rows of flows, idempotent answers, budgets and requests for recoveries whose time has passed.
///
/// Nothing depends on it: an expired row is refused wherever it is read, and an expired budget is a full one, or that of
/// somebody who does not exist. It keeps tables small and personal data short.
struct ExpiredRowSweeper: Service {
    /// How long between two sweeps.
    static let interval: Duration = .seconds(60)
    let pool: PostgresPool
    /// Finds the companies that have something to delete: the application's role sees only ledgers that it names.
    let readerPool: PostgresPool
    let logger: Logger

    /// Sweeps until the task is cancelled.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await sweep(at: .now()) } catch is CancellationError { return } catch {
                    logger.warning("expired rows could not be deleted")
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Deletes what expired before `time`, in steps of a thousand rows.
    func sweep(at time: Timestamp) async throws {
        let moment = time.postgres
        try await deleteAll(
            """
            DELETE FROM tenure.flow WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM tenure.flow WHERE expires_at <= \(moment) LIMIT 1000))
            """)
        try await deleteAll(
            """
            DELETE FROM tenure.idempotency WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM tenure.idempotency WHERE expires_at <= \(moment) LIMIT 1000))
            """)
        try await deleteAll(AttemptBudget.forgetting(at: time))
        for _ in 0..<100 {
            let ledgers = try await ledgersWithRequests(before: moment)
            if ledgers.isEmpty { return }
            let count = try await deleteAll(
                """
                DELETE FROM tenure.recovery_request WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM tenure.recovery_request WHERE ledger_id = ANY(\(ledgers.map(\.uuid)))
                        AND expires_at <= \(moment) LIMIT 1000 FOR UPDATE SKIP LOCKED))
                """, in: ledgers)
            // Another process is deleting the rest.
            if count == 0 { return }
        }
    }

    /// Companies, and directories for what belongs to nobody, in which requests for recoveries have expired.
    private func ledgersWithRequests(before moment: PostgresTimestamp) async throws -> [LedgerID] {
        try await readerPool.withConnection { connection in
            try await connection.query(
                """
                SELECT DISTINCT ledger_id FROM tenure.recovery_request WHERE expires_at <= \(moment) LIMIT 256
                """)
        }.map { LedgerID(try $0.decode(UUID.self)) }
    }

    /// Deletes step by step, and returns how many rows there were.
    @discardableResult
    private func deleteAll(_ statement: SQL, in ledgers: [LedgerID] = LedgerID.directories) async throws -> Int {
        var deleted = 0
        for _ in 0..<100 {
            let count = try await pool.withTransaction(in: ledgers) { connection in
                try await connection.execute(statement)
            }
            deleted += Int(count)
            if count < 1_000 { break }
        }
        return deleted
    }
}
