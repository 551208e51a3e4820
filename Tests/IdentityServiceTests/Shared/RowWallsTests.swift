import Foundation
import Keys
import Postgres
import TestSupport
import Testing

@testable import IdentityService

/// What stands between a database writer and each column, held against the schema and the documentation.
struct RowWallsTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/rows.md")
    private static let begin = "<!-- row walls: written by TENURE_WRITE_ROW_WALLS=1 -->\n"
    private static let end = "<!-- end of row walls -->"

    @Test(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
    func `every column of the schema has a line, and no other has one`() async throws {
        try await TestDatabase.with { database in
            var superuser = try await database.connect(as: .superuser)
            let rows = try await superuser.query(
                """
                SELECT c.relname::text || '.' || a.attname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
                WHERE c.relnamespace = 'tenure'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
                    AND NOT a.attisdropped
                """)
            let schema = Set(try rows.map { try $0.decode(String.self) })
            let walls = RowWalls.all.flatMap { wall in wall.columns.map { "\(wall.table).\($0)" } }
            #expect(schema.count > 100)
            #expect(schema.subtracting(walls).sorted() == [], "say in RowWalls how a change of these is noticed")
            #expect(Set(walls).subtracting(schema).sorted() == [])
            #expect(Set(walls).count == walls.count, "a column has two lines")
        }
    }

    @Test func `a line says that a code covers a column exactly if it does`() {
        for table in CodedTables.all {
            let covered = Set(table.key + table.covered + ["mac"])
            for wall in RowWalls.all where wall.table == table.name {
                let isCoded = wall.noticed.hasPrefix("code;")
                #expect(Set(wall.columns).isSubset(of: covered) == isCoded, "\(table.name): \(wall.columns)")
                #expect(isCoded || covered.isDisjoint(with: wall.columns), "\(table.name): \(wall.columns)")
            }
        }
        let coded = RowWalls.all.filter { $0.noticed.hasPrefix("code;") }.map(\.table)
        #expect(Set(coded) == Set(CodedTables.all.map(\.name)))
    }

    @Test func `the documentation has the table`() throws {
        var text = try String(contentsOf: Self.page, encoding: .utf8)
        let first = try #require(text.range(of: Self.begin)).upperBound
        let last = try #require(text.range(of: Self.end)).lowerBound
        if ProcessInfo.processInfo.environment["TENURE_WRITE_ROW_WALLS"] != nil {
            text.replaceSubrange(first..<last, with: RowWalls.page)
            try text.write(to: Self.page, atomically: true, encoding: .utf8)
            return
        }
        #expect(text[first..<last] == RowWalls.page, "write it again with TENURE_WRITE_ROW_WALLS=1")
    }
}
