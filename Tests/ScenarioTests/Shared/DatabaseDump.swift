import Canonical
import Foundation
import Postgres
import TestSupport

extension TenureWorld {
    /// Every row of every table of this world's database, as `COPY` writes it, and every `bytea` decoded beside it.
    func dump() async throws -> (bytes: Data, tables: [String]) {
        try await superuser { try await Self.dump(&$0) }
    }

    /// The rows of every table of the schema, as a backup has them.
    func backup() async throws -> [BackedUpTable] {
        try await superuser { connection in
            let rows = try await connection.query(
                "SELECT 'tenure.' || quote_ident(tablename) FROM pg_tables WHERE schemaname = 'tenure' ORDER BY 1")
            var backup: [BackedUpTable] = []
            _ = try await connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            for table in try rows.map({ try $0.decode(String.self) }) {
                let columns = try await connection.query(
                    """
                    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                    WHERE attrelid = \(table)::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
                    """)
                let list = try columns.first?.decode(String.self) ?? ""
                var text: [UInt8] = []
                _ = try await connection.copyOut("COPY \(unsafeSQL: table) (\(unsafeSQL: list)) TO STDOUT") {
                    text += $0
                }
                backup.append(BackedUpTable(name: table, columns: list, rows: text))
            }
            _ = try await connection.query("COMMIT")
            return backup
        }
    }

    /// Runs `body` with a database of its own that has these tables as the backup has them.
    func restored<Result: Sendable>(
        _ tables: [BackedUpTable], _ body: @Sendable (TestDatabase) async throws -> Result
    ) async throws -> Result {
        try await TestDatabase.with(on: database.url) { copy in
            var connection = try await copy.connect(as: .superuser)
            for table in tables {
                try await connection.executeScript("TRUNCATE \(table.name)")
                let copy: SQL = "COPY \(unsafeSQL: table.name) (\(unsafeSQL: table.columns)) FROM STDIN"
                _ = try await connection.copyIn(copy) { writer in try await writer.write(table.rows) }
            }
            return try await body(copy)
        }
    }

    /// The same of any database.
    static func dump(_ connection: inout PostgresConnection) async throws -> (bytes: Data, tables: [String]) {
        let rows = try await connection.query(
            """
            SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) FROM information_schema.tables
            WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
            ORDER BY 1
            """)
        let tables = try rows.map { try $0.decode(String.self) }
        var dump = Data()
        for table in tables {
            var text: [UInt8] = []
            _ = try await connection.copyOut("COPY \(unsafeSQL: table) TO STDOUT") { text += $0 }
            dump.append(contentsOf: text)
            dump.append(contentsOf: Self.decodedBytes(in: text))
        }
        return (dump, tables)
    }

    /// What stands behind each `\\x` of a `COPY`, one after the other with a line between.
    private static func decodedBytes(in text: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        for field in text.split(whereSeparator: { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\n") }) {
            guard field.starts(with: Array(#"\\x"#.utf8)) else { continue }
            decoded += Hex.decode(String(decoding: field.dropFirst(3), as: UTF8.self)) ?? []
            decoded.append(UInt8(ascii: "\n"))
        }
        return decoded
    }
}

/// A table as a backup has it.
struct BackedUpTable: Sendable {
    var name: String
    /// The columns that are not generated, apart by commas.
    var columns: String
    /// What `COPY` writes.
    var rows: [UInt8]
}

/// The memory of another process of ours, as a core file of that moment would have it.
enum ProcessMemory {
    private static let step = 1 << 16
    private static let zeros = Data(count: step)

    /// What the process wrote: its writable memory without the parts that are zero; `nil` where the system does not let
    /// us look, as without the right to trace another process.
    static func writable(of process: Int32) -> Data? {
        guard let maps = try? String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8),
            let memory = FileHandle(forReadingAtPath: "/proc/\(process)/mem")
        else { return nil }
        defer { try? memory.close() }
        var bytes = Data()
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 2)
            guard fields.count > 1, fields[1].hasPrefix("rw") else { continue }
            let range = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard range.count == 2, (try? memory.seek(toOffset: range[0])) != nil else { continue }
            var left = Int(range[1] - range[0])
            // Some pages of a mapping cannot be read; the others can.
            while left > 0, let part = try? memory.read(upToCount: min(left, step)), !part.isEmpty {
                if part != zeros.prefix(part.count) { bytes.append(part) }
                left -= part.count
            }
        }
        return bytes.isEmpty ? nil : bytes
    }
}
