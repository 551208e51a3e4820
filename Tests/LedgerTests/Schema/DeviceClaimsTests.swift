import Crypto
import Foundation
import Ledger
import Postgres
import Schema
import TestSupport
import Testing

/// The migration that found keys which were presented before they had claims.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct DeviceClaimsTests {
    /// A key of the view of some generation.
    private func add(
        _ key: [UInt8], of employee: UUID, in company: UUID, generation: Int32, _ connection: inout PostgresConnection
    ) async throws {
        _ = try await connection.query(
            """
            INSERT INTO tenure.employee_keys (ledger_id, generation, employee_id, key, state, is_first, flow_id,
                presented_at, presented_position, presented_event_id)
            VALUES (\(company), \(generation), \(employee), \(key), 'authorized', true, \(UUID()), now(), 1, \(UUID()))
            """)
    }

    @Test func `every key of the live view gets a claim, unless its employee is no member any more`() async throws {
        let script = try #require(Schema.migrations.first { $0.name == "m022_device_claims" })
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .superuser)
            try await connection.executeScript(
                "UPDATE tenure.projection_generation SET live = 3 WHERE projection = 'employee_keys'")
            let company = UUID(), member = UUID(), erased = UUID()
            let keys = (1...4).map { [UInt8](repeating: $0, count: 65) }
            for (key, employee, generation) in [
                (keys[0], member, Int32(3)), (keys[1], member, 3), (keys[2], erased, 3), (keys[3], member, 2),
            ] {
                try await add(key, of: employee, in: company, generation: generation, &connection)
            }
            let id = withUnsafeBytes(of: member.uuid) { Array($0) }
            _ = try await connection.query(
                """
                INSERT INTO tenure.claim (ledger_id, kind, key, owner, value)
                VALUES (\(company), 'member', \([UInt8](repeating: 9, count: 32)), \(UUID()), \(id))
                """)
            try await connection.executeScript("BEGIN; \(String(decoding: script.bytes, as: UTF8.self)); COMMIT")
            let rows = try await connection.query(
                "SELECT ledger_id, key, owner, value FROM tenure.claim WHERE kind = 'device'"
            ).map { try $0.decode(UUID.self, [UInt8].self, UUID.self, [UInt8]?.self) }
            #expect(rows.allSatisfy { $0.0 == company && $0.2 == member && $0.3 == nil })
            #expect(Set(rows.map(\.1)) == Set(keys.prefix(2).map { Array(SHA256.hash(data: id + $0)) }))
            let forced = try await connection.query(
                """
                SELECT bool_and(relforcerowsecurity) FROM pg_class
                WHERE oid IN ('tenure.claim'::regclass, 'tenure.employee_keys'::regclass)
                """)
            #expect(try forced.first?.decode(Bool.self) == true)
        }
    }
}
