import Foundation
import Ledger
import Postgres
import TestSupport
import Testing

/// Row-level security alone, with the application's own filters taken away, over every table there is.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct SecondWallTests {
    /// Tables without a ledger: none of their rows belongs to a company.
    private static let shared: Set<String> = [
        "bucket_key", "purpose_key", "token_key", "id_token_key", "pages_app", "projection_generation",
    ]

    private func tables(_ connection: inout PostgresConnection) async throws -> [(name: String, isWalled: Bool)] {
        let rows = try await connection.query(
            """
            SELECT c.relname::text,
                c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (
                    SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid AND 'tenure_app'::regrole = ANY (p.polroles)
                        AND pg_get_expr(p.polqual, p.polrelid) LIKE '%tenure.ledgers%ledger_id%outside_scope%')
                AND NOT EXISTS (
                    SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid
                        AND (0 = ANY (p.polroles) OR 'tenure_app'::regrole = ANY (p.polroles))
                        AND coalesce(pg_get_expr(p.polqual, p.polrelid), '') NOT LIKE '%tenure.ledgers%')
            FROM pg_class AS c WHERE c.relnamespace = 'tenure'::regnamespace AND c.relkind IN ('r', 'p', 'f', 'm')
                AND has_table_privilege('tenure_app', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')
            ORDER BY c.relname
            """)
        return try rows.map { row in
            let (name, isWalled) = try row.decode(String.self, Bool.self)
            return (name, isWalled)
        }
    }

    @Test func `every table of the service has row security or is listed as tenant-independent`() async throws {
        try await TestDatabase.with { database in
            var superuser = try await database.connect(as: .superuser)
            let all = try await tables(&superuser)
            #expect(all.count >= 15)
            #expect(Set(all.filter { !$0.isWalled }.map(\.name)) == Self.shared)
            // The look finds what it looks for: a new table without a policy, and one with a policy that holds nobody.
            try await superuser.executeScript(
                """
                CREATE TABLE tenure.forgotten (ledger_id uuid); GRANT SELECT ON tenure.forgotten TO tenure_app;
                CREATE TABLE tenure.open (ledger_id uuid); GRANT SELECT ON tenure.open TO tenure_app;
                ALTER TABLE tenure.open ENABLE ROW LEVEL SECURITY; ALTER TABLE tenure.open FORCE ROW LEVEL SECURITY;
                CREATE POLICY everything ON tenure.open USING (true);
                """)
            let bare = Set(try await tables(&superuser).filter { !$0.isWalled }.map(\.name))
            #expect(bare.subtracting(Self.shared) == ["forgotten", "open"])
        }
    }

    @Test func `SQL views run with the caller's rights, and no function runs with its owner's`() async throws {
        try await TestDatabase.with { database in
            var superuser = try await database.connect(as: .superuser)
            let lending: SQL = """
                SELECT c.relname::text FROM pg_class AS c WHERE c.relnamespace = 'tenure'::regnamespace
                    AND c.relkind = 'v' AND NOT coalesce('security_invoker=true' = ANY (c.reloptions), false)
                    AND NOT coalesce('security_invoker=on' = ANY (c.reloptions), false)
                UNION ALL SELECT p.proname::text FROM pg_proc AS p
                    WHERE p.pronamespace = 'tenure'::regnamespace AND p.prosecdef
                """
            #expect(try await superuser.query(lending).isEmpty)
            try await superuser.executeScript("CREATE VIEW tenure.lent AS SELECT * FROM tenure.event")
            #expect(try await superuser.query(lending).count == 1)
        }
    }

    @Test func `a statement without a filter reads no other tenant's row in any table`() async throws {
        try await TestDatabase.with { database in
            var superuser = try await database.connect(as: .superuser)
            let (mine, foreign) = (UUID(), UUID())
            let names = try await tables(&superuser).filter(\.isWalled).map(\.name)
            for name in names {
                let row = try await Row(name, &superuser)
                for ledger in [mine, foreign] { try await superuser.executeScript(row.insertion(ledger)) }
            }
            try await database.withPool { pool in
                for name in names {
                    let row = try await Row(name, &superuser)
                    try await attack(row, mine, foreign, pool, &superuser)
                }
            }
        }
    }

    /// Reads, changes, deletes and inserts without a filter, as the application with the scope of one ledger.
    private func attack(
        _ row: Row, _ mine: UUID, _ foreign: UUID, _ pool: PostgresPool, _ superuser: inout PostgresConnection
    ) async throws {
        let table = row.table
        let scope = [LedgerID(mine)]
        let seen = try await pool.query("SELECT ledger_id FROM tenure.\(identifier: table)", in: scope)
        #expect(try seen.map { try $0.decode(UUID.self) } == [mine], "\(table)")
        let before = try await row.state(&superuser)
        let statements = [
            "UPDATE tenure.\(table) SET ledger_id = ledger_id", "UPDATE tenure.\(table) SET ledger_id = '\(foreign)'",
            row.insertion(UUID()), row.insertion(foreign), "SELECT 1 FROM tenure.\(table) FOR UPDATE",
            "TRUNCATE tenure.\(table)", "DELETE FROM tenure.\(table)",
        ]
        for sql in statements {
            do {
                try await pool.withTransaction(in: scope) { connection in
                    try await connection.execute("\(unsafeSQL: sql)")
                    throw Undone()
                }
            } catch is Undone {
                // Only its own row: those that touch a foreign one must have been refused.
                #expect(!sql.contains("INSERT") && !sql.contains("'\(foreign)'"), "\(sql)")
            } catch let error as PostgresError {
                // A distributed database refuses some of them before it looks at rows.
                let isRefusedEarlier = TestServer.isDistributed && error.sqlState == .featureNotSupported
                #expect(error.sqlState == .insufficientPrivilege || isRefusedEarlier, "\(sql): \(error)")
            }
            _ = try? await pool.withTransaction(in: scope) { connection in
                try await connection.execute("\(unsafeSQL: sql)")
            }
            let after = try await row.state(&superuser)
            #expect(after[foreign] == before[foreign] && after[foreign] != nil, "\(sql)")
            #expect(after.keys.allSatisfy { $0 == mine || $0 == foreign }, "\(sql)")
        }
    }

    private struct Undone: Error {}
}

/// A row of any table, made of what its columns take.
private struct Row {
    let table: String
    private let columns: [(name: String, value: String)]

    /// Looks at the columns and takes the checks and the references away, which know more than types.
    init(_ table: String, _ connection: inout PostgresConnection) async throws {
        self.table = table
        let constraints = try await connection.query(
            """
            SELECT conname::text FROM pg_constraint
            WHERE conrelid = ('tenure.' || \(table))::regclass AND contype IN ('c', 'f')
            """)
        for row in constraints {
            let name = try row.decode(String.self)
            try await connection.executeScript("ALTER TABLE tenure.\(table) DROP CONSTRAINT \(name)")
        }
        let rows = try await connection.query(
            """
            SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute
            WHERE attrelid = ('tenure.' || \(table))::regclass AND attnum > 0 AND NOT attisdropped AND attnotnull
                AND attgenerated = '' AND attidentity = '' ORDER BY attnum
            """)
        columns = try rows.map { row in
            let (name, type) = try row.decode(String.self, String.self)
            let values = [
                "uuid": "gen_random_uuid()", "text": "'x'", "bytea": #"'\x00'"#, "json": "'{}'", "jsonb": "'{}'",
                "boolean": "false", "smallint": "1", "integer": "1", "bigint": "1",
                "timestamp with time zone": "'2026-01-01T00:00:00Z'", "xid8": "'1'",
            ]
            return (name, try #require(values[type], "\(table).\(name) is of type \(type): give it a value here"))
        }
    }

    func insertion(_ ledger: UUID) -> String {
        let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let values = columns.map { $0.name == "ledger_id" ? "'\(ledger)'" : $0.value }.joined(separator: ", ")
        return "INSERT INTO tenure.\(table) (\(names)) VALUES (\(values))"
    }

    /// For each ledger the whole row with the transaction that wrote or locked it last.
    func state(_ connection: inout PostgresConnection) async throws -> [UUID: String] {
        let rows = try await connection.query(
            "SELECT ledger_id, (t.xmin, t.xmax, t.ctid, t.*)::text FROM tenure.\(unsafeSQL: table) AS t")
        return Dictionary(
            try rows.map { row in
                let (ledger, text) = try row.decode(UUID.self, String.self)
                return (ledger, text)
            }, uniquingKeysWith: { $0 + $1 })
    }
}
