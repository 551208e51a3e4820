import Foundation
import Postgres
import Schema
import TestSupport
import Testing

@Suite struct SchemaFilesTests {
    @Test(arguments: ["migrations", "functions", "distributed"])
    func `every schema file is compiled in, in order`(directory: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../schema/\(directory)").standardized
        let files = try FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
        let all = [
            "migrations": Schema.migrations, "functions": Schema.functions, "distributed": Schema.distributedFunctions,
        ]
        let scripts = all[directory] ?? []
        let ending = directory == "distributed" ? "_distributed.sql" : ".sql"
        #expect(scripts.map { $0.name + ending } == files)
        for script in scripts {
            let text = try String(contentsOf: root.appendingPathComponent(script.name + ending), encoding: .utf8)
            #expect(script.text == text)
        }
    }
}

@Suite struct DistributedFunctionTests {
    @Test func `every form for a distributed database replaces a function, with the same signature`() throws {
        for form in Schema.distributedFunctions {
            let plain = try #require(Schema.functions.first { $0.name == form.name })
            #expect(Self.signature(form.text) == Self.signature(plain.text))
        }
        let names = Schema.functions(distributed: true).map(\.name)
        #expect(names == Schema.functions.map(\.name))
    }

    /// What stands between the name and the language: parameters and result.
    private static func signature(_ text: String) -> String? {
        guard let start = text.range(of: "CREATE OR REPLACE FUNCTION"), let end = text.range(of: "LANGUAGE plpgsql")
        else { return nil }
        return text[start.upperBound..<end.lowerBound].split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct SchemaTests {
    private func names(_ sql: SQL) async throws -> [String] {
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .superuser)
            return try await connection.query(sql).map { try $0.decode(String.self) }
        }
    }

    @Test func `every ledger table forces row security, with a policy for both roles`() async throws {
        let open = try await names(
            """
            SELECT c.relname::text FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'tenure'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'ledger_id'
                AND NOT (c.relrowsecurity AND c.relforcerowsecurity AND 2 <= (
                    SELECT count(DISTINCT r) FROM pg_policy AS p, unnest(p.polroles) AS r WHERE p.polrelid = c.oid
                        AND r IN ('tenure_app'::regrole, 'tenure_reader'::regrole)))
            """)
        #expect(open == [])
    }

    @Test func `every unique key of a ledger table starts with the ledger id`() async throws {
        let wrong = try await names(
            """
            SELECT i.indexrelid::regclass::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
            WHERE c.relnamespace = 'tenure'::regnamespace AND i.indisunique
                AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'ledger_id')
                AND (SELECT attname FROM pg_attribute WHERE attrelid = c.oid AND attnum = i.indkey[0]) <> 'ledger_id'
            """)
        #expect(wrong == [])
    }

    @Test func `only a claim may be inserted before its code`() async throws {
        let optional = try await names(
            """
            SELECT c.relname::text FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'tenure'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'mac'
                AND NOT a.attnotnull
            """)
        #expect(optional == ["claim"])
    }

    @Test(.enabled(if: !TestServer.isDistributed, "Citus adds triggers of its own"))
    func `constraints are named after their table, and there are no triggers or rules`() async throws {
        let wrong = try await names(
            """
            SELECT conname::text FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
            WHERE c.relnamespace = 'tenure'::regnamespace AND NOT starts_with(conname, c.relname || '_')
            UNION ALL
            SELECT tgname::text FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
            WHERE c.relnamespace = 'tenure'::regnamespace
            """)
        #expect(wrong == [])
    }

    @Test func `the owner owns every object, and no function runs with its rights`() async throws {
        let wrong = try await names(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = 'tenure'::regnamespace AND relowner <> 'tenure_owner'::regrole
            UNION ALL SELECT proname::text FROM pg_proc
            WHERE pronamespace = 'tenure'::regnamespace AND (prosecdef OR proowner <> 'tenure_owner'::regrole)
            """)
        #expect(wrong == [])
    }

    @Test func `the service's roles have no special privileges`() async throws {
        let powerful = try await names(
            """
            SELECT rolname::text FROM pg_roles WHERE rolname IN ('tenure_owner', 'tenure_app', 'tenure_reader')
                AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication OR NOT rolcanlogin)
            """)
        #expect(powerful == [])
    }
}
