import Canonical
import FoundationEssentials
import Identity
import Ledger
import Logging
import Postgres
import ServiceLifecycle

/// Records the end of sessions whose app was unlinked or whose secret was revoked.
///
/// Nothing depends on it: such a session is refused from the moment of the decision. The sweeper completes the log and
/// deletes the rows.
struct SessionSweeper: Service {
    /// The time between two sweeps.
    static let interval: Duration = .seconds(30)
    /// The largest number of sessions that one query finds.
    static let batch: Int64 = 256
    let context: ServiceContext
    /// Finds sessions of every tenant: the application role sees only ledgers that it names.
    let readerPool: PostgresPool

    /// Sweeps until the task is cancelled.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await sweep(at: context.settings.now()) } catch is CancellationError { return } catch {
                    context.logger.warning("sessions of unlinked apps and revoked secrets could not be closed")
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Closes the sessions that are left now.
    func sweep(at time: Timestamp) async throws {
        while case let ended = try await ended(), !ended.isEmpty {
            for session in ended {
                try Task.checkCancellation()
                try await EndSession(context: context).run(
                    session.id, in: session.tenant, reason: session.reason, actor: nil,
                    call: Call(requestId: "sweep-\(UUID.random().lowercased)", time: time))
                // The row of a session that another call closed is gone. A row without an opening event is not, and is
                // deleted here.
                try await forget(session)
            }
        }
    }

    private struct Ended {
        var tenant: TenantID
        var id: UUID
        var reason: SessionEnd
    }

    private func ended() async throws -> [Ended] {
        let byApp: SQL = """
            SELECT s.ledger_id, s.session_id FROM tenure.session_cutoff c
            JOIN tenure.session s ON s.app_id = c.subject AND s.ledger_id = c.ledger_id
            WHERE c.tenant_version > s.tenant_version AND least(s.refresh_expires_at, s.ends_at) > c.created_at
            LIMIT \(Self.batch)
            """
        let bySecret: SQL = """
            SELECT s.ledger_id, s.session_id FROM (
                SELECT c.subject, c.created_at FROM tenure.session_cutoff c WHERE c.ledger_id = \(LedgerID.system.uuid)
            ) AS c JOIN tenure.session s ON s.secret_id = c.subject
            WHERE least(s.refresh_expires_at, s.ends_at) > c.created_at LIMIT \(Self.batch)
            """
        let found = try await readerPool.withConnection { connection in
            try await connection.pipeline([byApp, bySecret])
        }
        return try zip(found, [SessionEnd.appUnlinked, .secretRevoked]).flatMap { rows, reason in
            try rows.map { row in
                let (tenant, id) = try row.decode(UUID.self, UUID.self)
                return Ended(tenant: TenantID(tenant), id: id, reason: reason)
            }
        }
    }

    private func forget(_ session: Ended) async throws {
        let tenant = session.tenant.uuid
        _ = try await context.pool.query(
            "DELETE FROM tenure.session WHERE ledger_id = \(tenant) AND session_id = \(session.id)",
            in: [LedgerID(tenant)])
    }
}
