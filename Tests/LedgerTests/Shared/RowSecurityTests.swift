import Canonical
import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct RowSecurityTests {
    @Test func `a statement without a filter sees only the rows of its ledgers`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let mine = StreamID.test(), foreign = StreamID.test()
                for stream in [mine, foreign] {
                    var append = Append.test(stream, events: 2)
                    append.claims = [
                        Claim(
                            key: ClaimKey(ledger: stream.ledger, kind: "x", digest: Array(repeating: 1, count: 32)),
                            owner: UUID())
                    ]
                    _ = try await appender.append(append)
                }
                for table in ["event", "ledger", "claim"] {
                    let count: SQL = "SELECT DISTINCT ledger_id FROM tenure.\(identifier: table)"
                    let rows = try await pool.query(count, in: [mine.ledger])
                    #expect(try rows.map { try $0.decode(UUID.self) } == [mine.ledger.uuid], "\(table)")
                    // Without a scope, and after a scope has ended on the same connection, it is refused.
                    try await database.withPool(maximumConnections: 1) { pool in
                        for _ in 0..<2 {
                            let refused = await #expect(throws: PostgresError.self) {
                                _ = try await pool.withConnection { connection in try await connection.query(count) }
                            }
                            #expect(refused?.sqlState == .insufficientPrivilege, "\(table)")
                            _ = try await pool.query(count, in: [mine.ledger])
                        }
                    }
                    try await database.withPool(as: .reader) { pool in
                        let all = try await pool.withConnection { connection in try await connection.query(count) }
                        #expect(all.count == 2, "\(table)")
                    }
                    try await database.withPool(as: .owner) { pool in
                        let none = try await pool.withConnection { connection in try await connection.query(count) }
                        #expect(none.isEmpty, "\(table): FORCE holds for the owner")
                    }
                }
            }
        }
    }

    @Test func `an append outside the scope is refused`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let append = Append.test(.test())
                let error = await #expect(throws: PostgresError.self) {
                    try await pool.withTransaction(in: [LedgerID.system]) { connection in
                        try await Appender.append([append], on: &connection)
                    }
                }
                #expect(error?.sqlState == .insufficientPrivilege)
            }
        }
    }

    @Test func `the application can only insert and read events`() async throws {
        try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                let stream = StreamID.test()
                _ = try await appender.append(.test(stream))
                let refused: [SQL] = [
                    "UPDATE tenure.event SET type = 'Other'", "DELETE FROM tenure.event", "TRUNCATE tenure.event",
                    "SELECT 1 FROM tenure.event FOR UPDATE", "DELETE FROM tenure.ledger",
                    "UPDATE tenure.claim SET owner = gen_random_uuid()", "UPDATE tenure.tile SET level = 1",
                    "DELETE FROM tenure.tile", "ALTER TABLE tenure.event DISABLE ROW LEVEL SECURITY",
                    "DROP TABLE tenure.event", "CREATE TABLE tenure.other ()", "SET ROLE tenure_owner",
                    "INSERT INTO tenure.event (leaf) VALUES ('')",
                ]
                for sql in refused {
                    let error = await #expect(throws: PostgresError.self, "\(sql)") {
                        _ = try await pool.query(sql, in: [stream.ledger])
                    }
                    // A distributed database refuses some of them before it looks at privileges.
                    let codes = ["42501", "428C9"] + (TestServer.isDistributed ? ["0A000"] : [])
                    #expect(
                        codes.contains(error?.sqlState?.rawValue ?? ""), "\(sql): \(String(describing: error))")
                }
                try await database.withPool(as: .reader) { pool in
                    for table in ["event", "ledger", "claim", "tile", "session", "person_key"] {
                        let sql: SQL = "DELETE FROM tenure.\(identifier: table)"
                        let error = await #expect(throws: PostgresError.self) {
                            _ = try await pool.query(sql, in: [stream.ledger])
                        }
                        #expect(error?.sqlState == .insufficientPrivilege)
                    }
                    await #expect(throws: PostgresError.self) {
                        _ = try await pool.query(
                            "INSERT INTO tenure.ledger (ledger_id) VALUES (gen_random_uuid())", in: [])
                    }
                }
            }
        }
    }
}
