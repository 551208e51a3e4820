import Canonical
import EventCoding
import Foundation
import Keys
import Postgres
import Testing

@testable import Ledger
@testable import tenure

/// The lines that `tenure replay` prints of entries.
struct EntryPrinterTests {
    private static let ledger = LedgerID(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
    private let person = PersonKey(id: UUID(), key: SecretKey())

    private func entry(_ data: JSONValue, source: JSONValue? = nil, id: UUID) throws -> CodedEntry {
        let stream = StreamID(ledger: Self.ledger, kind: "thing", id: UUID())
        let event = NewEvent(
            id: id, stream: stream, type: "ThingHappened", schema: 3, data: data, requestId: "r.1", source: source)
        let bytes = try Entry.encode(event, version: 2, time: Timestamp(microseconds: 5))
        return CodedEntry(
            ledger: Self.ledger, position: 12, id: id, streamID: stream.id, kind: stream.kind, version: 2,
            type: event.type, time: PostgresTimestamp(Timestamp(microseconds: 5)), bytes: bytes, code: [],
            codes: .unchecked)
    }

    @Test func `personal texts open in their places, stay sealed, or read erased`() throws {
        let id = UUID()
        func seal(_ text: String, _ pointer: String) throws -> JSONValue {
            try person.seal(Array(text.utf8), ledger: Self.ledger.uuid, event: id, pointer: pointer)
        }
        let data: JSONValue = [
            "email": try seal("a\"b@example.test", "/data/email"),
            "moved": try seal("in another place", "/data/email"), "plain": "text",
        ]
        let entry = try entry(data, source: ["address": try seal("::1", "/source/address")], id: id)
        let event = try entry.event()
        func printed(_ keys: [UUID: PersonKey]?) throws -> JSONValue {
            let line = String(decoding: EntryPrinter.lines([event], keys), as: UTF8.self)
            #expect(line.hasSuffix("\n") && !line.dropLast().contains("\n"))
            return try StrictJSON.parse(Array(line.utf8))
        }
        let opened = try printed([person.id: person])
        #expect(opened["position"] == .integer(12))
        #expect(opened["data"]?["email"] == .string("a\"b@example.test"))
        #expect(opened["data"]?["moved"] == .string(OpenedEvent.erased))
        #expect(opened["data"]?["plain"] == .string("text"))
        #expect(try printed([:])["data"]?["email"] == .string(OpenedEvent.erased))
        #expect(try printed(nil)["data"]?["email"] == .string(OpenedEvent.sealed))
    }

    @Test func `a line from the stored bytes is the same as one from values`() throws {
        let id = UUID()
        func seal(_ text: String, _ pointer: String) throws -> JSONValue {
            try person.seal(Array(text.utf8), ledger: Self.ledger.uuid, event: id, pointer: pointer)
        }
        let sealed = try seal("line one\nline \u{7F}\u{202E}two \\ ü", "/data/a/1/b")
        let all: [(JSONValue, JSONValue?)] = [
            ([:], nil), (["a": [], "b": [:], "c": 0, "d": -12, "e": true, "f": ""], ["address": "::1"]),
            (["a": ["x", ["b": sealed, "c": [[]]]], "z": sealed], ["address": try seal("::1", "/source/address")]),
            (["x": ["c": "abc", "k": "def"], "y": ["c": 1], "z": ["c": ["c": sealed, "k": 1]]], nil),
            (["x": ["c": sealed, "k": .uuid(person.id)]], nil),
            (["x": ["c": .string(String(repeating: "A", count: 40)), "k": .uuid(person.id), "l": 1]], nil),
            (["x": sealed, "y": .string("{\u{22}c")], ["a": sealed, "b": "c"]),
        ]
        for (data, source) in all {
            let entry = try entry(data, source: source, id: id), event = try entry.event()
            for keys in [nil, [:], [person.id: person]] as [[UUID: PersonKey]?] {
                let expected = String(decoding: EntryPrinter.lines([event], keys), as: UTF8.self)
                guard let line = EntryLine(entry) else {
                    // Escapes are left to the values.
                    #expect(expected.contains("\\\"{") || expected.contains("{\\\""), "\(expected)")
                    continue
                }
                var bytes: [UInt8] = []
                line.append(to: &bytes, keys)
                #expect(String(decoding: bytes, as: UTF8.self) == expected)
                #expect(Set(line.owners) == OpenedEvent.owners(event))
            }
        }
    }

    @Test(arguments: ["\u{7F}", "ü", "a\"b", "a\nb"])
    func `text that is escaped or outside ASCII is left to the values`(text: String) throws {
        #expect(EntryLine(try entry(["a": .string(text)], id: UUID())) == nil)
    }

    @Test func `a malformed entry or one of another row is refused`() throws {
        let id = UUID(), good = try entry(["a": 1], id: id)
        let text = String(decoding: good.bytes, as: UTF8.self)
        func stored(_ bytes: [UInt8], id: UUID, ledger: LedgerID = Self.ledger) -> CodedEntry {
            CodedEntry(
                ledger: ledger, position: 12, id: id, streamID: good.streamID, kind: good.kind, version: good.version,
                type: good.type, time: good.time, bytes: bytes, code: [], codes: .unchecked)
        }
        var wrong = [stored(good.bytes, id: UUID()), stored(good.bytes, id: id, ledger: LedgerID(UUID()))]
        for other in [
            text + " ", String(text.dropLast()), text.replacing(#""schema":3,"#, with: ""),
            text.replacing(#""data":{"a":1}"#, with: #""data":{"a": 1}"#), "", "{}",
        ] { wrong.append(stored(Array(other.utf8), id: id)) }
        for entry in wrong {
            #expect(throws: LedgerError.self) { try entry.event() }
            #expect(EntryLine(entry) == nil)
        }
    }
}
