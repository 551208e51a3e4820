import Foundation
import Ledger
import Postgres
import Schema
import TestSupport
import Testing

/// The migration that found accounts of users who were there before accounts were claims of their own.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct AccountClaimsTests {
    private struct Row: Equatable {
        let ledger: UUID
        let key: [UInt8]
        let owner: UUID
        let value: [UInt8]
    }

    @Test func `every member of a company gets an account in the directory of the user`() async throws {
        let script = try #require(Schema.migrations.first { $0.name == "m015_accounts" })
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .superuser)
            try await connection.executeScript("DROP INDEX tenure.claim_account_by_owner")
            var expected: [Row] = []
            for byte: UInt8 in [0x00, 0x0A, 0x7F, 0xFF] {
                let user = UUID(uuid: (byte, 1, 2, 3, 4, 5, 0x46, 7, 0x88, 9, 10, 11, 12, 13, 14, byte))
                let company = UUID(), employee = (0..<16).map { UInt8($0) ^ byte }
                let key = [UInt8](repeating: byte, count: 32)
                _ = try await connection.query(
                    """
                    INSERT INTO tenure.claim (ledger_id, kind, key, owner, value)
                    VALUES (\(company), 'member', \(key), \(user), \(employee)),
                        (\(company), 'employee', \(key), \(user), \(employee))
                    """)
                let bytes = withUnsafeBytes(of: company.uuid) { Array($0) }
                expected.append(
                    Row(ledger: LedgerID.directory(byte).uuid, key: key, owner: user, value: bytes + employee))
            }
            try await connection.executeScript("BEGIN; \(String(decoding: script.bytes, as: UTF8.self)); COMMIT")
            let rows = try await connection.query(
                "SELECT ledger_id, key, owner, value FROM tenure.claim WHERE kind = 'account' ORDER BY key"
            ).map { row in
                let (ledger, key, owner, value) = try row.decode(UUID.self, [UInt8].self, UUID.self, [UInt8].self)
                return Row(ledger: ledger, key: key, owner: owner, value: value)
            }
            #expect(rows == expected)
            let forced = try await connection.query(
                "SELECT relforcerowsecurity FROM pg_class WHERE oid = 'tenure.claim'::regclass")
            #expect(try forced.first?.decode(Bool.self) == true)
        }
    }
}
