import Foundation
import Ledger
import Postgres
import Schema
import TestSupport
import Testing

/// The migration that forgets budgets from which everything was given back before refunds did.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct EmptyBudgetsTests {
    @Test func `what is spent or was learned stays, and nothing else`() async throws {
        let script = try #require(Schema.migrations.first { $0.name == "m023_empty_budgets" })
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .superuser)
            for (number, row) in [(0, 0), (1, 0), (0, 1), (2, 3), (0, 0)].enumerated() {
                let key = [UInt8](repeating: UInt8(number), count: 32)
                _ = try await connection.query(
                    """
                    INSERT INTO tenure.budget (ledger_id, key, spent, lifetime, refilled_at)
                    VALUES (\(LedgerID.directory(UInt8(number)).uuid), \(key), \(Int32(row.0)), \(Int32(row.1)), now())
                    """)
            }
            try await connection.executeScript("BEGIN; \(String(decoding: script.bytes, as: UTF8.self)); COMMIT")
            let rows = try await connection.query("SELECT spent, lifetime FROM tenure.budget ORDER BY key").map {
                try $0.decode(Int32.self, Int32.self)
            }
            #expect(rows.map(\.0) == [1, 0, 2] && rows.map(\.1) == [0, 1, 3])
            let forced = try await connection.query(
                "SELECT relforcerowsecurity FROM pg_class WHERE oid = 'tenure.budget'::regclass")
            #expect(try forced.first?.decode(Bool.self) == true)
        }
    }
}
