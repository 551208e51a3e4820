import Canonical
import EventCoding
import Foundation
import Keys
import Testing

@testable import Ledger
@testable import tenure

/// Lines made of the bytes of entries are those made of values, whatever an entry holds.
struct EntryLineTests {
    private static let ledger = LedgerID(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
    private let person = PersonKey(id: UUID(), key: SecretKey())

    private func stored(_ bytes: [UInt8], id: UUID, ledger: LedgerID = Self.ledger) -> StoredEntry {
        StoredEntry(ledger: ledger, position: 12, id: id, type: "ThingHappened", bytes: bytes)
    }

    private func entry(
        _ data: JSONValue, source: JSONValue? = nil, isFull: Bool = true, id: UUID
    ) throws -> StoredEntry {
        let stream = StreamID(ledger: Self.ledger, kind: "thing", id: UUID())
        let event = NewEvent(
            id: id, stream: stream, type: "ThingHappened", schema: 3, data: data, actor: isFull ? UUID() : nil,
            app: isFull ? UUID() : nil, requestId: isFull ? "r.1" : nil, source: source,
            causes: isFull ? [UUID(), UUID()] : [])
        return stored(try Entry.encode(event, version: 2, time: Timestamp(microseconds: 5)), id: id)
    }

    /// Holds the line against the one that is made of values, and tells whether the bytes sufficed.
    @discardableResult
    private func compare(_ entry: StoredEntry, _ keys: [UUID: PersonKey]?) throws -> Bool {
        let expected = JSONLines.line(OpenedEvent(try entry.event(), keys: keys).json)
        #expect(String(decoding: try EntryPrinter.lines([entry], keys), as: UTF8.self) == expected)
        var output = Array("before".utf8)
        let isDone = EntryLine.append(entry, keys: keys, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "before" + (isDone ? expected : ""))
        return isDone
    }

    @Test(arguments: [true, false])
    func `an entry without personal texts is printed from its bytes alone`(isFull: Bool) throws {
        let data: JSONValue = ["a": [1, -2, ["x": true]], "b": [:], "c": [], "d": "text", "k": "no seal", "z": false]
        let isDone = try compare(try entry(data, isFull: isFull, id: UUID()), [:])
        #expect(isDone)
    }

    @Test func `personal texts open in their places, stay sealed, or read erased`() throws {
        let id = UUID()
        func seal(_ text: String, _ pointer: String) throws -> JSONValue {
            try person.seal(Array(text.utf8), ledger: Self.ledger.uuid, event: id, pointer: pointer)
        }
        let data: JSONValue = [
            "email": try seal("a\"b\\\u{9B}é\n@example.test", "/data/email"),
            "list": [try seal("", "/data/list/0"), ["deep": try seal("x", "/data/list/1/deep")]],
            "moved": try seal("in another place", "/data/email"),
        ]
        let entry = try entry(data, source: ["address": try seal("::1", "/source/address")], id: id)
        for keys in [[person.id: person], [:], nil] as [[UUID: PersonKey]?] {
            let isDone = try compare(entry, keys)
            #expect(isDone)
        }
        var owners: Set<UUID> = []
        SealedBytesRange.owners(entry.bytes, into: &owners)
        #expect(owners == [person.id])
    }

    @Test func `an entry that only looks sealed or is not ASCII is decoded in full`() throws {
        let key = JSONValue.uuid(person.id)
        let lookalikes: [JSONValue] = [
            ["c": "short", "k": key], ["c": "!", "k": key], ["c": "AAAA", "k": "x"], ["c": "AAAA", "k": key, "z": 1],
        ]
        for value in lookalikes { try compare(try entry(["v": value], id: UUID()), [person.id: person]) }
        for text in ["é", "\u{202E}", "a\nb", "quote \" in it", "\\", "\u{7F}"] {
            let isDone = try compare(try entry(["v": .string(text)], id: UUID()), [:])
            #expect(!isDone, "\(text.debugDescription)")
        }
    }

    @Test func `a malformed entry or one of another row is refused`() throws {
        let id = UUID()
        let good = try entry(["a": 1], id: id)
        let text = String(decoding: good.bytes, as: UTF8.self)
        var wrong = [stored(good.bytes, id: UUID()), stored(good.bytes, id: id, ledger: LedgerID(UUID()))]
        for other in [
            text + " ", String(text.dropLast()), text.replacing(#""schema":3,"#, with: ""),
            text.replacing(#""data":{"a":1}"#, with: #""data":{"a": 1}"#),
            text.replacing(#""data":{"a":1}"#, with: #""data":{"a":1,}"#),
            text.replacing(#""type":"ThingHappened""#, with: #""type":"ThingHappened","zzz":1"#), "", "{}",
        ] { wrong.append(stored(Array(other.utf8), id: id)) }
        for entry in wrong {
            var output: [UInt8] = [1]
            #expect(!EntryLine.append(entry, keys: [:], to: &output))
            #expect(output == [1])
            #expect(throws: LedgerError.self) { try EntryPrinter.lines([entry], [:]) }
        }
    }

    @Test func `random entries give the same line from bytes and from values`() throws {
        var random = SystemRandomNumberGenerator()
        func value(_ depth: Int) -> JSONValue {
            switch Int.random(in: 0...(depth > 0 ? 5 : 3), using: &random) {
            case 0: .integer(Int64.random(in: JSONValue.integerRange, using: &random))
            case 1: .bool(Bool.random(using: &random))
            case 2: .string(["", "plain", "ü", "\u{1F600}", "\t"].randomElement(using: &random) ?? "")
            case 3: .uuid(UUID())
            case 4: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth - 1) })
            default:
                .object(
                    Dictionary(
                        (0..<Int.random(in: 0...4, using: &random)).map { _ in
                            (["a", "b", "c", "k", "key~/", "Z"].randomElement(using: &random) ?? "a", value(depth - 1))
                        }, uniquingKeysWith: { first, _ in first }))
            }
        }
        for _ in 0..<500 {
            let entry = try entry(["v": value(4)], isFull: Bool.random(using: &random), id: UUID())
            try compare(entry, [:])
        }
    }
}
