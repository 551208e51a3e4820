import Canonical
import Foundation
import Postgres
import TestSupport
import Testing

@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct InventoryGaugesTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)

    private func time(_ seconds: Int) -> PostgresTimestamp { now.adding(.seconds(seconds)).postgres }

    /// Runs `body` with a connection that may do everything, and what reads the gauges anew, with a bound.
    private func withGauges(
        _ body: (inout PostgresConnection, (Int64) async -> String) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            try await database.withPool(as: .reader) { pool in
                var connection = try await database.connect(as: .superuser)
                try await body(&connection) { bound in
                    await InventoryGauges(pool: pool, bound: bound, now: { now }).metrics()
                }
            }
        }
    }

    private func insertSession(endingIn seconds: Int, _ connection: inout PostgresConnection) async throws {
        _ = try await connection.execute(
            """
            INSERT INTO tenure.browser_session
                (ledger_id, browser_session_id, session_id, employee_id, digest, opened_at, ends_at, mac)
            VALUES (\(UUID()), \(UUID()), \(UUID()), \(UUID()), '', \(time(-100)), \(time(seconds)), '')
            """)
    }

    private func insertGrant(endingIn seconds: Int, _ connection: inout PostgresConnection) async throws {
        _ = try await connection.execute(
            """
            INSERT INTO tenure.client_grant
                (ledger_id, grant_id, session_id, employee_id, fingerprint, client_id, app_id, tenant_version, scopes,
                methods, authenticated_at, refresh_counter, refreshed_at, access_expires_at, ends_at, opened_in, mac)
            VALUES (\(UUID()), \(UUID()), \(UUID()), \(UUID()), '', \(UUID()), \(UUID()), 1, '', '', \(time(-1)), 1,
                \(time(-1)), \(time(1)), \(time(seconds)), \(UUID()), '')
            """)
    }

    @Test func `sessions and grants count until they end, in all ledgers`() async throws {
        try await withGauges { connection, gauges in
            let none = await gauges(10)
            #expect(none.contains("\ntenure_browser_sessions 0\n") && none.contains("\ntenure_client_grants 0\n"))
            for seconds in [-1, 0, 1, 60] { try await insertSession(endingIn: seconds, &connection) }
            for seconds in [-1, 0, 1] { try await insertGrant(endingIn: seconds, &connection) }
            let some = await gauges(10)
            #expect(some.contains("\ntenure_browser_sessions 2\n") && some.contains("\ntenure_client_grants 1\n"))
        }
    }

    @Test func `many rows are estimated and not counted`() async throws {
        try await withGauges { connection, gauges in
            for _ in 0..<20 { try await insertSession(endingIn: 60, &connection) }
            _ = try await connection.execute("ANALYZE tenure.browser_session")
            #expect(await gauges(5).contains("\ntenure_browser_sessions 20\n"))
            // Without a newer estimate: at least what was counted.
            for _ in 0..<10 { try await insertSession(endingIn: 60, &connection) }
            #expect(await gauges(5).contains("\ntenure_browser_sessions 20\n"))
            #expect(await gauges(25).contains("\ntenure_browser_sessions 26\n"))
            #expect(await gauges(30).contains("\ntenure_browser_sessions 30\n"))
        }
    }

    @Test func `the age is that of the key that signs, for each purpose`() async throws {
        try await withGauges { connection, gauges in
            let name = "tenure_signing_key_age_seconds"
            #expect(await !gauges(10).contains(name + "{"))
            func insert(_ id: Character, age: Int, signsIn seconds: Int, algorithm: String?) async throws {
                let key = String(repeating: id, count: 43), sealed = [UInt8](repeating: 0, count: 40)
                if let algorithm {
                    _ = try await connection.execute(
                        """
                        INSERT INTO tenure.id_token_key (key_id, algorithm, sealed, created_at, signs_from, mac)
                        VALUES (\(key), \(algorithm), \(sealed), \(time(-age)), \(time(seconds)), '')
                        """)
                } else {
                    _ = try await connection.execute(
                        """
                        INSERT INTO tenure.token_key (key_id, sealed, created_at, signs_from, mac)
                        VALUES (\(key), \(sealed), \(time(-age)), \(time(seconds)), '')
                        """)
                }
            }
            try await insert("a", age: 9_000, signsIn: -8_000, algorithm: nil)
            try await insert("b", age: 2_000, signsIn: -1_000, algorithm: nil)
            try await insert("c", age: 10, signsIn: 890, algorithm: nil)
            try await insert("d", age: 70, signsIn: -70, algorithm: "RS256")
            let text = await gauges(10)
            #expect(text.contains("\n\(name){purpose=\"accessToken\"} 2000\n\(name){purpose=\"idTokenRS256\"} 70\n"))
            #expect(!text.contains("idTokenES256"))
        }
    }
}
