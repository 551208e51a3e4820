import Crypto
import Foundation
import Postgres
import Schema
import TestSupport
import Testing

/// What the last release needs of the schema, so that its processes go on beside newer ones.
enum ReleasedSchema {
    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../schema/released").standardized

    /// The lines of a kept file, without comments.
    static func lines(_ name: String) throws -> [String] {
        try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    /// The functions and columns of a database.
    static func objects(_ database: TestDatabase) async throws -> [String] {
        var connection = try await database.connect(as: .superuser)
        try await connection.execute("SET search_path = pg_catalog")
        let rows = try await connection.query(
            """
            SELECT 'function ' || p.oid::regprocedure::text || ' -> ' || pg_get_function_result(p.oid)
            FROM pg_proc AS p WHERE p.pronamespace = 'tenure'::regnamespace
            UNION ALL
            SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
            FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'tenure'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
                AND NOT a.attisdropped
            ORDER BY 1
            """)
        return try rows.map { try $0.decode(String.self) }
    }

    /// The columns that a row must name, by `table.column`.
    static func requiredColumns(_ database: TestDatabase) async throws -> [String] {
        var connection = try await database.connect(as: .superuser)
        let rows = try await connection.query(
            """
            SELECT c.relname || '.' || a.attname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'tenure'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
                AND NOT a.attisdropped AND a.attnotnull AND NOT a.atthasdef AND a.attgenerated = ''
            ORDER BY 1
            """)
        return try rows.map { try $0.decode(String.self) }
    }

    /// The SHA-256 over all functions of both forms.
    static var digestOfFunctions: String {
        var hash = SHA256()
        for script in Schema.functions + Schema.distributedFunctions {
            hash.update(data: Array(script.name.utf8) + [0])
            hash.update(data: SHA256.hash(data: script.bytes).map { $0 })
        }
        return hash.finalize().map { String(format: "%02x", $0) }.joined()
    }
}

@Suite struct FunctionRevisionListTests {
    @Test func `functions have the texts of their revision, and a change of one raises it`() throws {
        let lines = try ReleasedSchema.lines("functions.txt")
        let current = "\(Schema.functionsRevision) \(ReleasedSchema.digestOfFunctions)"
        #expect(
            lines.last == current,
            """
            A function differs from its revision. If the last line belongs to a release, raise Schema.functionsRevision \
            and append the line, otherwise replace the last line, in schema/released/functions.txt: \(current)
            """)
        let revisions = lines.map { $0.prefix { $0 != " " } }.compactMap { Int($0) }
        #expect(revisions == Array(1...max(1, lines.count)))
    }
}

@Suite(.enabled(if: TestServer.isAvailable && !TestServer.isDistributed, "\(TestServer.hint)"))
struct ReleasedSchemaTests {
    @Test func `every function and column that the last release uses is there`() async throws {
        let kept = try ReleasedSchema.lines("objects.txt")
        #expect(kept.count > 100)
        try await TestDatabase.with { database in
            let present = Set(try await ReleasedSchema.objects(database))
            let missing = kept.filter { !present.contains($0) }
            #expect(missing == [], "a process of the last release fails without them")
        }
    }

    @Test func `a column that the last release does not know needs no value`() async throws {
        let columns = try ReleasedSchema.lines("objects.txt").filter { $0.hasPrefix("column ") }
            .map { String($0.dropFirst("column ".count).prefix { $0 != " " }) }
        let tables = Set(columns.map { $0.prefix { $0 != "." } })
        try await TestDatabase.with { database in
            let required = try await ReleasedSchema.requiredColumns(database)
            let unknown = required.filter { tables.contains($0.prefix { $0 != "." }) && !columns.contains($0) }
            #expect(unknown == [], "the last release inserts rows without them")
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["TENURE_RECORD_RELEASE"] != nil, "records a release only"))
    func `write what a release uses`() async throws {
        let release = try #require(ProcessInfo.processInfo.environment["TENURE_RECORD_RELEASE"])
        let sources = ReleasedSchema.directory.appendingPathComponent("../../Sources").standardized
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var code = ""
        for case let file as URL in files where file.pathExtension == "swift" {
            code += try String(contentsOf: file, encoding: .utf8)
        }
        try await TestDatabase.with { database in
            let used = try await ReleasedSchema.objects(database).filter { line in
                guard line.hasPrefix("function ") else { return true }
                return code.contains(line.dropFirst("function ".count).prefix { $0 != "(" } + "(")
            }
            let head = """
                # The functions and columns of the schema that \(release) uses. ReleasedSchemaTests (LedgerTests) holds the
                # schema against this list; CONTRIBUTING.md says when it is written again.

                """
            try Data((head + used.joined(separator: "\n") + "\n").utf8)
                .write(to: ReleasedSchema.directory.appendingPathComponent("objects.txt"))
        }
    }
}
