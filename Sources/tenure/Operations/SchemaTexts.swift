import IdentityService
import Postgres
import Schema

/// The functions, triggers, rules, policies and indexes of the schema `tenure` that this program did not make, tables
/// whose storage or row security it did not set so, and the constraints that are gone: whoever owns the schema can
/// replace a function that the service calls, and hide rows from it.
struct SchemaTexts: Sendable, Equatable {
    /// Each object with what it is, by name.
    let foreign: [String]
    /// The names of constraints that the schema lacks.
    let missing: [String]

    /// Reads the catalogue, which every role may do.
    ///
    /// - Throws: `PostgresError`.
    static func read(_ pool: PostgresPool) async throws -> SchemaTexts {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT oid::regprocedure::text, proname::text,
                    CASE WHEN prosecdef OR EXISTS (SELECT 1 FROM unnest(proconfig) AS one (text)
                        WHERE one.text LIKE 'search_path=%'
                            AND one.text !~ '^search_path=((pg_catalog|pg_temp|tenure)(, |$))+$') THEN '' ELSE prosrc END
                FROM pg_proc WHERE pronamespace = to_regnamespace('tenure')
                UNION ALL
                SELECT 'index ' || c.oid::regclass::text, 'INDEX ' || c.relname, ''
                FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
                WHERE c.relnamespace = to_regnamespace('tenure')
                    AND NOT EXISTS (SELECT 1 FROM pg_constraint AS o WHERE o.conindid = i.indexrelid)
                UNION ALL
                SELECT 'table ' || c.oid::regclass::text, '', '' FROM pg_class AS c
                WHERE c.relnamespace = to_regnamespace('tenure') AND c.relkind IN ('r', 'p')
                    AND (c.relpersistence <> 'p' OR (EXISTS (SELECT 1 FROM pg_policy AS p WHERE p.polrelid = c.oid)
                        AND NOT (c.relrowsecurity AND c.relforcerowsecurity)))
                UNION ALL
                SELECT 'trigger ' || t.tgname || ' of ' || t.tgrelid::regclass::text, '', ''
                FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
                WHERE c.relnamespace = to_regnamespace('tenure') AND NOT t.tgisinternal
                UNION ALL
                SELECT 'rule ' || r.rulename || ' of ' || r.ev_class::regclass::text, '', ''
                FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = r.ev_class
                WHERE c.relnamespace = to_regnamespace('tenure')
                UNION ALL
                SELECT 'policy ' || p.polname || ' of ' || p.polrelid::regclass::text, '', ''
                FROM pg_policy AS p JOIN pg_class AS c ON c.oid = p.polrelid
                CROSS JOIN LATERAL regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\\s|tenure\\.', '', 'g') AS rule
                WHERE c.relnamespace = to_regnamespace('tenure') AND (p.polpermissive AND CASE p.polname
                    WHEN c.relname || '_for_reader' THEN p.polroles = ARRAY[to_regrole('tenure_reader')::oid]
                        AND rule = 'true'
                    WHEN c.relname || '_of_ledgers' THEN p.polroles = ARRAY[to_regrole('tenure_app')::oid]
                        AND rule = \(scope)
                    END) IS NOT TRUE
                ORDER BY 1
                """)
        }
        let present = Set(
            try await pool.withConnection { connection in
                try await connection.query(
                    "SELECT conname::text FROM pg_constraint WHERE connamespace = to_regnamespace('tenure')")
            }.map { try $0.decode(String.self) })
        let texts = (Schema.migrations + Schema.functions + Schema.distributedFunctions).map(\.text)
        let objects = try rows.map { try $0.decode(String.self, String.self, String.self) }
        return SchemaTexts(
            foreign: objects.filter { _, name, body in
                if name.hasPrefix("INDEX ") {
                    return !texts.contains { $0.contains("\(name) ") || $0.contains("\(name)\n") }
                }
                return name.isEmpty
                    || !texts.contains { $0.contains("FUNCTION tenure.\(name)(") && $0.contains("$$\(body)$$") }
            }.map { $0.0 }, missing: constraints.filter { !present.contains($0) }.sorted())
    }

    /// The rule of the policies of the application role, without spaces and the schema's name.
    private static let scope =
        "CASEWHEN(strpos(current_setting('ledgers'::text,true),(ledger_id)::text)>0)THENtrueELSEoutside_scope(ledger_id)END"

    /// The names of the constraints that the migrations make.
    private static var constraints: Set<String> {
        let lines = Schema.migrations.flatMap { $0.text.split(separator: "\n") }
        return Set(
            lines.compactMap { line in
                let words = line.split(separator: " ")
                guard let place = words.firstIndex(of: "CONSTRAINT"), place + 1 < words.count,
                    place == 0 || words[place - 1] == "ADD"
                else { return nil }
                return String(words[place + 1])
            })
    }
}

extension Examination {
    /// Compares the functions of the schema with those of this version.
    func functions() async -> [Finding] {
        await inDatabase("functions") { pool in Self.findings(try await SchemaTexts.read(pool)) }
    }

    static func findings(_ texts: SchemaTexts) -> [Finding] {
        let found =
            texts.missing.map { "constraint \($0) is missing" }
            + texts.foreign.map { "\($0) is not this version's" }
        guard !found.isEmpty else {
            return [
                Finding(subject: "functions", verdict: .good, detail: "functions and policies are this version's")
            ]
        }
        return found.map { detail in
            Finding(
                subject: "functions", verdict: .bad, detail: detail,
                remedy: "if another version migrated, use that one; else find out who owns the schema, drop what is "
                    + "there, make what is missing, and run: tenure migrate")
        }
    }
}
