import Canonical
import FoundationEssentials
import Keys
import Ledger
import Logging
import Postgres
import ServiceLifecycle

/// Deletes expired rows: of flows, idempotent replies, budgets, recovery requests, authentications with a PIN, browser
/// sessions, authorizations, grants and claims on addresses.
///
/// Nothing depends on it: an expired row is refused wherever it is read, and an expired budget is full or a decoy's. It
/// keeps tables small and limits the retention of personal data.
struct ExpiredRowSweeper: Service {
    /// The time between two sweeps.
    static let interval: Duration = .seconds(60)
    let pool: PostgresPool
    /// Finds the rows to delete: the application role sees only ledgers that it names.
    let readerPool: PostgresPool
    let logger: Logger
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
        for rows in ExpiringRows.all { try await rows.delete(at: time, pool: pool, readerPool: readerPool) }
    }
}

/// The rows of a table that say nothing from a moment on.
struct ExpiringRows: Sendable {
    /// The largest number of rows that one transaction deletes.
    static let step = 1_000
    /// The tables, each with the column that follows the ledger in its primary key and the column of the moment.
    static let all = [
        ExpiringRows(table: "flow", key: "flow_id", moment: "expires_at"),
        ExpiringRows(table: "idempotency", key: "key", moment: "expires_at"),
        budgets,
        ExpiringRows(table: "recovery_request", key: "employee_id", moment: "expires_at"),
        ExpiringRows(table: "mpin_pass", key: "pass_id", moment: "expires_at"),
        ExpiringRows(table: "browser_session", key: "browser_session_id", moment: "ends_at"),
        ExpiringRows(table: "browser_wait", key: "flow_id", moment: "expires_at"),
        ExpiringRows(table: "authorization_request", key: "request_id", moment: "expires_at"),
        ExpiringRows(table: "authorization_code", key: "code_id", moment: "forget_at"),
        ExpiringRows(table: "client_grant", key: "grant_id", moment: "ends_at"),
        ExpiringRows(table: "claim", key: "key", moment: "expires_at", kind: KeyRing.claimantKind),
    ]
    /// Budgets that are full, and those of decoys without a charge for a year.
    static let budgets = ExpiringRows(table: "budget", key: "key", moment: "forget_at")

    let table: String
    let key: String
    let moment: String
    /// The kind of the rows, in a table with rows of several kinds.
    var kind: String?

    private var isOfKind: SQL { kind.map { "kind = '\(unsafeSQL: $0)'" } ?? "true" }

    /// Deletes the rows whose moment was at `time` or before, in steps, and returns their number.
    ///
    /// The reader finds the keys, and the application role deletes them ledger by ledger. Rows that somebody has locked
    /// are left for the next sweep.
    ///
    /// - Throws: `PostgresError`.
    @discardableResult
    func delete(at time: Timestamp, pool: PostgresPool, readerPool: PostgresPool) async throws -> Int {
        var deleted = 0
        for _ in 0..<100 {
            let expired = try await expired(at: time, readerPool)
            guard !expired.isEmpty else { break }
            let ledgers = expired.keys.sorted()
            let statements = ledgers.map { deletion(of: expired[$0] ?? [], in: $0, at: time) }
            let counts = try await pool.pipeline(statements, in: ledgers)
            let count = try counts.reduce(0) { $0 + Int(try $1.first?.decode(Int64.self) ?? 0) }
            deleted += count
            // Another process deletes the rest.
            if count == 0 { break }
        }
        return deleted
    }

    /// The keys of expired rows, as text, by ledger.
    private func expired(at time: Timestamp, _ readerPool: PostgresPool) async throws -> [LedgerID: [String]] {
        let rows = try await readerPool.withConnection { connection in
            try await connection.query(
                """
                SELECT ledger_id, \(identifier: key)::text FROM tenure.\(identifier: table)
                WHERE \(isOfKind) AND \(identifier: moment) <= \(time.postgres) LIMIT \(Int64(Self.step))
                """)
        }
        var keys: [LedgerID: [String]] = [:]
        for row in rows {
            let (ledger, key) = try row.decode(UUID.self, String.self)
            keys[LedgerID(ledger), default: []].append(key)
        }
        return keys
    }

    /// The statement that deletes rows of one ledger and returns their number. IS TRUE keeps the index of moments out of
    /// it, which would read the expired rows of all ledgers.
    private func deletion(of keys: [String], in ledger: LedgerID, at time: Timestamp) -> SQL {
        let type = key == "key" ? "bytea" : "uuid"
        let expired: SQL = """
            SELECT \(identifier: key) FROM tenure.\(identifier: table)
            WHERE ledger_id = \(ledger.uuid) AND \(isOfKind)
                AND \(identifier: key) = ANY (\(keys)::text[]::\(unsafeSQL: type)[])
                AND (\(identifier: moment) <= \(time.postgres)) IS TRUE FOR UPDATE SKIP LOCKED
            """
        return """
            WITH deleted AS (
                DELETE FROM tenure.\(identifier: table) WHERE ledger_id = \(ledger.uuid) AND \(isOfKind)
                    AND \(identifier: key) = ANY (ARRAY(\(expired))) AND (\(identifier: moment) <= \(time.postgres)) IS TRUE
                RETURNING 1)
            SELECT count(*) FROM deleted
            """
    }
}
