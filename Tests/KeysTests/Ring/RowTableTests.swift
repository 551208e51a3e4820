import Canonical
import Foundation
import Postgres
import Testing

@testable import Keys

@Suite struct RowTableTests {
    private struct Flag: Equatable {
        var colour: String
        var height: Int64?
    }

    private struct BerthRow: CodedRow, Equatable {
        var harbour: UUID
        var name: String
        var seenAt: Timestamp
        var flag: Flag?
        var freeFrom: Timestamp?
        var code: [UInt8]?

        static let table = RowTable<BerthRow>(
            "berth", BerthRow.init,
            Column(key: "harbour_id", \.harbour), Column(key: "name", \.name), Column(outside: "seen_at", \.seenAt),
            Column(optional: \.flag, Flag.init, Column("colour", \.colour), Column("height", \.height)),
            Column("free_from", \.freeFrom), .code(\.code))
    }

    private let ring = KeyRing.random()
    private let row = BerthRow(harbour: UUID(), name: "7", seenAt: .earliest, flag: Flag(colour: "red"))

    @Test func `columns are declared once`() {
        let table = BerthRow.table
        #expect(table.columns == ["harbour_id", "name", "seen_at", "colour", "height", "free_from", "mac"])
        #expect(
            table.coded
                == CodedTable("berth", key: ["harbour_id", "name"], covered: ["colour", "height", "free_from"]))
        #expect("\(table.list("b"))".hasPrefix("b.harbour_id, b.name, b.seen_at, b.colour"))
    }

    @Test func `a code covers the key and the covered columns, and NULL where a part is missing`() {
        let key: [RowValue] = [.uuid(row.harbour), .text("7")]
        #expect(BerthRow.table.values(row) == key + [.text("red"), .integer(nil), .time(nil)])
        var bare = row, later = row, free = row
        bare.flag = nil
        later.seenAt = .latest
        free.freeFrom = .earliest
        #expect(BerthRow.table.values(bare) == key + [.text(nil), .integer(nil), .time(nil)])
        #expect(later.rightCode(ring) == row.rightCode(ring))
        #expect(free.rightCode(ring) != row.rightCode(ring))
    }

    @Test func `statements name all columns and guard the key`() {
        #expect(
            "\(row.insertion(ring))" == """
                INSERT INTO tenure.berth AS t (harbour_id, name, seen_at, colour, height, free_from, mac) \
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """)
        #expect(
            "\(BerthRow.table.replacing())" == """
                ON CONFLICT (harbour_id, name) DO UPDATE SET seen_at = excluded.seen_at, colour = excluded.colour, \
                height = excluded.height, free_from = excluded.free_from, mac = excluded.mac
                """)
        #expect(!"\(BerthRow.table.replacing(keepsOutside: true))".contains("seen_at"))
        #expect(
            "\(row.update(where: "t.height = \(Int64(2))", ring))" == """
                UPDATE tenure.berth AS t SET colour = $1, height = $2, free_from = $3, mac = $4 \
                WHERE t.harbour_id = $5 AND t.name = $6 AND (t.height = $7)
                """)
        #expect("\(BerthRow.table.arrays([row, row]))" == "$1, $2, $3, $4, $5, $6, $7")
        #expect("\(BerthRow.table.arrays([row], keysOnly: true))" == "$1, $2")
    }
}
