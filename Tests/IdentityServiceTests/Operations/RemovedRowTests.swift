import Canonical
import Foundation
import Ledger
import Postgres
import Testing
import TestSupport
@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct ExpiredRowSweeperTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)

    /// Runs `body` with a connection that may do everything, and a sweeper with the roles of the service.
    private func withSweeper(
        _ body: (inout PostgresConnection, ExpiredRowSweeper) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                try await database.withPool(as: .reader) { readerPool in
                    var connection = try await database.connect(as: .superuser)
                    try await body(
                        &connection,
                        ExpiredRowSweeper(pool: pool, readerPool: readerPool, logger: TestServer.logger()))
                }
            }
        }
    }

    private func count(_ table: String, _ connection: inout PostgresConnection) async throws -> Int64 {
        let rows = try await connection.query("SELECT count(*) FROM tenure.\(identifier: table)")
        return try #require(rows.first).decode(Int64.self)
    }

    /// A second that is over, the moment itself, and a second that is still to come.
    private var ends: [PostgresTimestamp] {
        [now.adding(.seconds(-1)), now, now.adding(.seconds(1))].map(\.postgres)
    }

    @Test func `expired recovery requests are deleted, in tenants and directories alike`() async throws {
        try await withSweeper { connection, sweeper in
            let start = now.adding(.seconds(-100)).postgres
            for ledger in [LedgerID(UUID()), LedgerID(UUID()), .directory(3)] {
                for (number, end) in ends.enumerated() {
                    for isOpen in [false, true] {
                        _ = try await connection.execute(
                            """
                            INSERT INTO tenure.recovery_request
                                (ledger_id, employee_id, fingerprint, requested_at, expires_at, is_open, mac)
                            VALUES (\(ledger.uuid), \(UUID()), \([UInt8](repeating: UInt8(number), count: 32)),
                                \(start), \(end), \(isOpen), '')
                            """)
                    }
                }
            }
            try await sweeper.sweep(at: now)
            let left = try await connection.query(
                """
                SELECT count(*), count(DISTINCT ledger_id), count(*) FILTER (WHERE expires_at <= \(now.postgres))
                FROM tenure.recovery_request
                """)
            let (rows, ledgers, expired) = try #require(left.first).decode(Int64.self, Int64.self, Int64.self)
            #expect(rows == 6 && ledgers == 3 && expired == 0)
        }
    }

    @Test func `expired recovery requests of one or many tenants are deleted`() async throws {
        try await withSweeper { connection, sweeper in
            let end = now.postgres, one = UUID()
            _ = try await connection.execute(
                """
                INSERT INTO tenure.recovery_request
                    (ledger_id, employee_id, fingerprint, requested_at, expires_at, mac)
                SELECT CASE WHEN n <= 2500 THEN \(one) ELSE gen_random_uuid() END, gen_random_uuid(),
                    sha256(n::text::bytea), \(end), \(end), ''
                FROM generate_series(1, 3100) AS n
                """)
            // Several processes sweep at once, and none waits for another or fails.
            try await withThrowingTaskGroup(of: Void.self) { [now] group in
                for _ in 0..<3 { group.addTask { try await sweeper.sweep(at: now) } }
                try await group.waitForAll()
            }
            #expect(try await count("recovery_request", &connection) == 0)
        }
    }

    @Test func `expired flows and stored responses are deleted`() async throws {
        try await withSweeper { connection, sweeper in
            let ledger = LedgerID.directory(9).uuid, sealed = [UInt8](repeating: 1, count: 64)
            for (number, end) in ends.enumerated() {
                let key = [UInt8](repeating: UInt8(number), count: 32)
                _ = try await connection.execute(
                    """
                    INSERT INTO tenure.flow (ledger_id, flow_id, version, sealed, expires_at)
                    VALUES (\(ledger), \(UUID()), 1, \(sealed), \(end))
                    """)
                _ = try await connection.execute(
                    """
                    INSERT INTO tenure.idempotency (ledger_id, key, fingerprint, state, lease_until, expires_at, mac)
                    VALUES (\(ledger), \(key), \(key), 'done', \(end), \(end), '')
                    """)
            }
            try await sweeper.sweep(at: now)
            #expect(try await count("flow", &connection) == 1)
            #expect(try await count("idempotency", &connection) == 1)
        }
    }
}

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct ErasureCountsTests {
    @Test func `an erasure waits until its master key version and all earlier ones are destroyed`() async throws {
        try await TestDatabase.with { database in
            var superuser = try await database.connect(as: .superuser)
            for (version, isDone) in [(1, true), (2, true), (2, true), (3, false)] {
                let done = isDone ? "now()" : "NULL"
                try await superuser.executeScript(
                    """
                    INSERT INTO tenure.erasure (ledger_id, person_id, kind, recorded_at, master_version, destroyed_at)
                    VALUES (gen_random_uuid(), gen_random_uuid(), 'user', now(), \(version), \(done))
                    """)
            }
            let counts = try await database.withPool(as: .reader) { try await ErasureCounts.count(on: $0) }
            #expect(counts.open == 1)
            #expect([1, 2, 3, 4].map(counts.waiting(forTheEndOf:)) == [4, 3, 1, 0])
            #expect(counts.complete(holding: [1, 3]) == 0)
            #expect(counts.complete(holding: [2, 3]) == 1)
            #expect(counts.complete(holding: [4]) == 3, "one has keys left")
        }
    }
}
