import Canonical
import FoundationEssentials
import Ledger
import Logging
import Postgres
import ServiceLifecycle

/// Deletes expired rows of flows, idempotent replies, budgets, recovery requests and authentications with a PIN.
///
/// Nothing depends on it: an expired row is refused wherever it is read, and an expired budget is full or a decoy's. It
/// keeps tables small and limits the retention of personal data.
struct ExpiredRowSweeper: Service {
    /// The time between two sweeps.
    static let interval: Duration = .seconds(60)
    let pool: PostgresPool
    /// Finds the tenants and apps with rows to delete: the application role sees only ledgers that it names.
    let readerPool: PostgresPool
    let logger: Logger
    /// The clock.
    var now: @Sendable () -> Timestamp = { .now() }

    /// Sweeps until the task is cancelled.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await sweep(at: now()) } catch is CancellationError { return } catch {
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
        for table in ["recovery_request", "mpin_pass"] { try await sweep(table, before: moment) }
    }

    /// Deletes the expired rows of a table whose rows lie under tenants, or for decoys under apps.
    private func sweep(_ table: String, before moment: PostgresTimestamp) async throws {
        let name: SQL = "tenure.\(identifier: table)"
        for _ in 0..<100 {
            let ledgers = try await readerPool.withConnection { connection in
                try await connection.query(
                    "SELECT DISTINCT ledger_id FROM \(name) WHERE expires_at <= \(moment) LIMIT 256")
            }.map { LedgerID(try $0.decode(UUID.self)) }
            if ledgers.isEmpty { return }
            let count = try await deleteAll(
                """
                DELETE FROM \(name) WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM \(name) WHERE ledger_id = ANY(\(ledgers.map(\.uuid)))
                        AND expires_at <= \(moment) LIMIT 1000 FOR UPDATE SKIP LOCKED))
                """, in: ledgers)
            // Another process deletes the rest.
            if count == 0 { return }
        }
    }

    /// Deletes in steps, and returns the number of deleted rows.
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
