import Canonical
import Foundation
import Identity
import Ledger
import Postgres
import TestSupport
import Testing

@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct OpenedSessionTests {
    private let context: ServiceContext
    private let tenant = TenantID(UUID()), start = Timestamp(microseconds: 1_795_000_000_000_000)

    init() throws { context = try .unconnected() }

    private func session(_ employee: EmployeeID, after seconds: Int) throws -> OpenedSession {
        let fingerprint = try #require(Fingerprint(hex: String(repeating: "ab", count: 32)))
        return OpenedSession(
            employee: employee, tenant: tenant, fingerprint: fingerprint, at: start.adding(.seconds(seconds)), context)
    }

    private func ids(_ pool: PostgresPool) async throws -> Set<UUID> {
        let rows = try await pool.query("SELECT session_id FROM tenure.session", in: [LedgerID(tenant.uuid)])
        return Set(try rows.map { try $0.decode(UUID.self) })
    }

    @Test func `opening one forgets those of the employee that have ended, and no other`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let owner = EmployeeID(UUID()), colleague = EmployeeID(UUID())
                let ledgers: Set<LedgerID> = [LedgerID(tenant.uuid)]
                let later = Int(context.settings.sessionLifetime.components.seconds)
                let ended = try session(owner, after: 0), others = try session(colleague, after: 0)
                let live = try session(owner, after: later - 60)
                for session in [ended, others, live] { _ = try await pool.query(session.insertion, in: ledgers) }
                #expect(try await ids(pool) == [ended.id, others.id, live.id])
                let new = try session(owner, after: later + 1)
                _ = try await pool.query(new.insertion, in: ledgers)
                #expect(try await ids(pool) == [others.id, live.id, new.id])
            }
        }
    }

    @Test func `two of one employee at once are both there, and what has ended is gone once`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(maximumConnections: 4) { pool in
                let owner = EmployeeID(UUID()), ledgers: Set<LedgerID> = [LedgerID(tenant.uuid)]
                _ = try await pool.query(try session(owner, after: 0).insertion, in: ledgers)
                let later = Int(context.settings.sessionLifetime.components.seconds) + 1
                let new = try (0..<8).map { _ in try session(owner, after: later) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for session in new {
                        group.addTask { _ = try await pool.query(session.insertion, in: ledgers) }
                    }
                    try await group.waitForAll()
                }
                #expect(try await ids(pool) == Set(new.map(\.id)))
            }
        }
    }
}
