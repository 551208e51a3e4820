import Canonical
import Foundation
import Testing

@testable import Keys

@Suite struct RowCodeTests {
    private let table = CodedTable(
        "thing", key: ["ledger_id", "id"], covered: ["name", "size", "until", "is_open", "bytes"])
    private let values: [RowValue] = [
        .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))), .bytes([1, 2]), .text("zoë"),
        .integer(-1), .time(1_795_000_000_000_000), .flag(true), .bytes(nil),
    ]

    @Test func `a code never changes, and names its key`() throws {
        let ring = try Sample.ring, code = ring.rowCode(table, values)
        #expect(Hex.encode(code) == "ce59c349623874c20357efcda9cb3544f3ab396a8437f2ca5d6473edf1dc53c6dbb3c6e0")
        #expect(code.count == 36 && Array(code.prefix(4)) == ring.rowKeyID)
        #expect(ring.isRowCode(code, table, values))
        #expect(!KeyRing.random().isRowCode(code, table, values))
    }

    @Test func `no bit of a code can be changed`() throws {
        let ring = KeyRing.random(), code = ring.rowCode(table, values)
        for bit in 0..<code.count * 8 {
            var forged = code
            forged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!ring.isRowCode(forged, table, values))
        }
        for wrong in [[], Array(code.dropLast()), code + [0], Array(code.dropFirst(4))] {
            #expect(!ring.isRowCode(wrong, table, values))
        }
    }

    @Test func `another table, key or value has another code`() {
        let ring = KeyRing.random(), code = ring.rowCode(table, values)
        let others: [RowValue] = [
            .uuid(UUID()), .bytes([1, 3]), .text("zoe"), .integer(1), .time(1), .flag(false), .bytes([]),
        ]
        for index in values.indices {
            var changed = values
            changed[index] = others[index]
            #expect(!ring.isRowCode(code, table, changed), "\(index)")
        }
        // NULL is nothing empty, and a type is part of a value.
        #expect(RowValue.text(nil) != .text("") && RowValue.bytes(nil) != .bytes([]))
        #expect(RowValue.integer(1) != .time(1) && RowValue.text("a") != .bytes([0x61]))
        let renamed = CodedTable("thong", key: table.key, covered: table.covered)
        let moved = CodedTable("thing", key: ["ledger_id"], covered: ["id"] + table.covered.reversed())
        #expect(!ring.isRowCode(code, renamed, values))
        #expect(!ring.isRowCode(code, moved, values))
    }

    @Test func `what is moved from one column to the next does not count as the same`() {
        let ring = KeyRing.random()
        let pair = CodedTable("pair", key: ["a"], covered: ["b"])
        #expect(ring.rowCode(pair, [.text("ab"), .text("c")]) != ring.rowCode(pair, [.text("a"), .text("bc")]))
    }

    @Test func `the reply to a refresh opens with its token and its place only`() throws {
        let ring = KeyRing.random()
        let sealed = try ring.sealRefreshReply([1, 2, 3], token: [4], at: [5])
        #expect(ring.openRefreshReply(sealed, token: [4], at: [5]) == [1, 2, 3])
        #expect(ring.openRefreshReply(sealed, token: [5], at: [5]) == nil)
        #expect(ring.openRefreshReply(sealed, token: [4], at: [4]) == nil)
        #expect(KeyRing.random().openRefreshReply(sealed, token: [4], at: [5]) == nil)
    }
}
