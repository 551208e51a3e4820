import Canonical

import Ledger
import Logging
import Postgres
public import ServiceLifecycle

/// Deletes the rows of flows, idempotent answers, budgets and requests for recoveries whose time has passed.
///
/// Nothing depends on it: an expired row is refused wherever it is read, and an expired budget is a full one, or that of
/// somebody who does not exist. It keeps tables small and personal data short.
public struct ExpiredRowSweeper: Service {
    /// How long between two sweeps.
    public static let interval: Duration = .seconds(60)
    let context: ServiceContext

    /// Sweeps for a service.
    public init(_ context: ServiceContext) { self.context = context }

    /// Sweeps until the task is cancelled.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await sweep(at: .now()) } catch is CancellationError { return } catch {
                    context.logger.warning("expired rows could not be deleted")
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
        try await deleteAll(
            """
            DELETE FROM tenure.recovery_request WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM tenure.recovery_request WHERE expires_at <= \(moment) LIMIT 1000))
            """)
    }

    private func deleteAll(_ statement: SQL) async throws {
        for _ in 0..<100 {
            let count = try await context.pool.withTransaction(in: LedgerID.directories) { connection in
                try await connection.execute(statement)
            }
            if count < 1_000 { return }
        }
    }
}
