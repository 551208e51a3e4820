import IdentityService
import Postgres
import Schema

/// The functions, triggers and rules of the schema `tenure` that this program did not make: whoever owns the schema can
/// replace a function, and the service calls it.
struct SchemaTexts: Sendable, Equatable {
    /// Each object with what it is, by name.
    let foreign: [String]

    /// Reads the catalogue, which every role may do.
    ///
    /// - Throws: `PostgresError`.
    static func read(_ pool: PostgresPool) async throws -> SchemaTexts {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT oid::regprocedure::text, proname::text, prosrc FROM pg_proc
                WHERE pronamespace = to_regnamespace('tenure')
                UNION ALL
                SELECT 'trigger ' || t.tgname || ' of ' || t.tgrelid::regclass::text, '', ''
                FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
                WHERE c.relnamespace = to_regnamespace('tenure') AND NOT t.tgisinternal
                UNION ALL
                SELECT 'rule ' || r.rulename || ' of ' || r.ev_class::regclass::text, '', ''
                FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = r.ev_class
                WHERE c.relnamespace = to_regnamespace('tenure')
                ORDER BY 1
                """)
        }
        let texts = (Schema.migrations + Schema.functions + Schema.distributedFunctions).map(\.text)
        let objects = try rows.map { try $0.decode(String.self, String.self, String.self) }
        return SchemaTexts(
            foreign: objects.filter { _, name, body in
                name.isEmpty
                    || !texts.contains { $0.contains("FUNCTION tenure.\(name)(") && $0.contains("$$\(body)$$") }
            }.map { $0.0 })
    }
}

extension Examination {
    /// Compares the functions of the schema with those of this version.
    func functions() async -> [Finding] {
        await inDatabase("functions") { pool in Self.findings(try await SchemaTexts.read(pool)) }
    }

    static func findings(_ texts: SchemaTexts) -> [Finding] {
        guard !texts.foreign.isEmpty else {
            return [Finding(subject: "functions", verdict: .good, detail: "functions have the texts of this version")]
        }
        return texts.foreign.map { object in
            Finding(
                subject: "functions", verdict: .bad, detail: "\(object) is not this version's",
                remedy: "if another version migrated, use that one; else find out who owns the schema, drop it, and "
                    + "run: tenure migrate")
        }
    }
}
