import Canonical
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

    /// An event of the log; only what the migration reads of it is true.
    private func present(
        _ key: [UInt8], of employee: UUID, in company: UUID, at position: Int64, _ connection: inout PostgresConnection
    ) async throws {
        let entry = Array(#"{"data":{"first":true,"key":"\#(Base64URL.encode(key))"}}"#.utf8)
        _ = try await connection.query(
            """
            INSERT INTO tenure.event (ledger_id, position, event_id, stream_id, kind, version, type, time, entry)
            VALUES (\(company), \(position), \(UUID()), \(employee), 'employee', \(Int32(position)),
                'EmployeeKeyPresented', now(), \(entry))
            """)
    }

    private func join(_ employee: UUID, _ company: UUID, _ connection: inout PostgresConnection) async throws -> [UInt8]
    {
        let id = withUnsafeBytes(of: employee.uuid) { Array($0) }
        _ = try await connection.query(
            """
            INSERT INTO tenure.claim (ledger_id, kind, key, owner, value)
            VALUES (\(company), 'member', \(Array(SHA256.hash(data: id))), \(UUID()), \(id))
            """)
        return id
    }

    private func migrate(_ connection: inout PostgresConnection) async throws {
        let script = try #require(Schema.migrations.first { $0.name == "m022_device_claims" })
        try await connection.executeScript("BEGIN; \(String(decoding: script.bytes, as: UTF8.self)); COMMIT")
        let forced = try await connection.query(
            """
            SELECT bool_and(relforcerowsecurity) FROM pg_class WHERE oid IN ('tenure.event'::regclass,
                'tenure.claim'::regclass, 'tenure.projection_progress'::regclass, 'tenure.employee_keys'::regclass)
            """)
        #expect(try forced.first?.decode(Bool.self) == true)
    }

    private func claims(_ connection: inout PostgresConnection) async throws -> Set<[UInt8]> {
        let rows = try await connection.query("SELECT key, value FROM tenure.claim WHERE kind = 'device'").map {
            try $0.decode([UInt8].self, [UInt8]?.self)
        }
        #expect(rows.allSatisfy { $0.1 == nil })
        return Set(rows.map(\.0))
    }

    @Test func `every key of the live view gets a claim, unless its employee is no member any more`() async throws {
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
            let id = try await join(member, company, &connection)
            try await migrate(&connection)
            let expected = Set(keys.prefix(2).map { Array(SHA256.hash(data: id + $0)) })
            #expect(try await claims(&connection) == expected)
            let others = try await connection.query(
                """
                SELECT FROM tenure.claim WHERE kind = 'device' AND (ledger_id, owner) <> (\(company), \(member))
                """)
            #expect(others.isEmpty)
        }
    }

    @Test func `and so does every key that the view has not read`() async throws {
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .superuser)
            let companies = [UUID(), UUID()], members = [UUID(), UUID()]
            let ids = [
                try await join(members[0], companies[0], &connection),
                try await join(members[1], companies[1], &connection),
            ]
            let keys = (1...5).map { number in (0..<65).map { UInt8(truncatingIfNeeded: number * 50 + $0) } }
            // The view of the first company is stopped before its sixth event; that of the second never began.
            _ = try await connection.query(
                """
                INSERT INTO tenure.projection_progress
                    (ledger_id, projection, generation, position, failed_at_position, failure)
                VALUES (\(companies[0]), 'employee_keys', 1, 5, 6, 'stopped')
                """)
            try await add(keys[0], of: members[0], in: companies[0], generation: 1, &connection)
            try await present(keys[0], of: members[0], in: companies[0], at: 3, &connection)
            // Read by the view, which has no row of it: the migration does not look at it again.
            try await present(keys[1], of: members[0], in: companies[0], at: 4, &connection)
            try await present(keys[0], of: members[0], in: companies[0], at: 7, &connection)
            try await present(keys[2], of: members[0], in: companies[0], at: 8, &connection)
            try await present(keys[3], of: UUID(), in: companies[0], at: 9, &connection)
            try await present(keys[4], of: members[1], in: companies[1], at: 1, &connection)
            try await migrate(&connection)
            let expected = [ids[0] + keys[0], ids[0] + keys[2], ids[1] + keys[4]].map { Array(SHA256.hash(data: $0)) }
            #expect(try await claims(&connection) == Set(expected))
        }
    }
}
