import Foundation
import Postgres
import Schema
import TestSupport
import Testing

/// The migration that gives open sessions an end.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct SessionEndsTests {
    @Test func `sessions that are open end a day after they were opened, with their tokens`() async throws {
        let script = try #require(Schema.migrations.first { $0.name == "m019_session_ends" })
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .superuser)
            try await connection.executeScript("ALTER TABLE tenure.session DROP COLUMN ends_at")
            let digest = [UInt8](repeating: 1, count: 32)
            for days: Int64 in [0, 20] {
                _ = try await connection.query(
                    """
                    INSERT INTO tenure.session (ledger_id, session_id, employee_id, fingerprint, access_digest,
                        refresh_digest, access_expires_at, refresh_expires_at, created_at)
                    SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), \(digest), \(digest), \(digest),
                        now() + interval '1 hour', now() + interval '30 days', now() - \(days) * interval '1 day'
                    """)
            }
            try await connection.executeScript("BEGIN; \(String(decoding: script.bytes, as: UTF8.self)); COMMIT")
            let rows = try await connection.query(
                """
                SELECT ends_at = created_at + interval '24 hours', refresh_expires_at = ends_at,
                    access_expires_at <= ends_at, access_expires_at > now()
                FROM tenure.session ORDER BY created_at
                """)
            var open: [Bool] = []
            for row in rows {
                let (end, refresh, access, isOpen) = try row.decode(Bool.self, Bool.self, Bool.self, Bool.self)
                #expect(end && refresh && access)
                open.append(isOpen)
            }
            #expect(open == [false, true])
            let forced = try await connection.query(
                "SELECT relforcerowsecurity FROM pg_class WHERE oid = 'tenure.session'::regclass")
            #expect(try forced.first?.decode(Bool.self) == true)
        }
    }
}
