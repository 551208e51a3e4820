import Canonical
import EventCoding
import Foundation
import Keys
import Testing

@testable import Ledger
@testable import tenure

/// The lines that `tenure replay` prints of entries.
struct EntryPrinterTests {
    private static let ledger = LedgerID(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
    private let person = PersonKey(id: UUID(), key: SecretKey())

    private func entry(_ data: JSONValue, source: JSONValue? = nil, id: UUID) throws -> StoredEntry {
        let stream = StreamID(ledger: Self.ledger, kind: "thing", id: UUID())
        let event = NewEvent(
            id: id, stream: stream, type: "ThingHappened", schema: 3, data: data, requestId: "r.1", source: source)
        let bytes = try Entry.encode(event, version: 2, time: Timestamp(microseconds: 5))
        return StoredEntry(ledger: Self.ledger, position: 12, id: id, type: "ThingHappened", bytes: bytes)
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

    @Test func `a malformed entry or one of another row is refused`() throws {
        let id = UUID(), good = try entry(["a": 1], id: id)
        let text = String(decoding: good.bytes, as: UTF8.self)
        func stored(_ bytes: [UInt8], id: UUID, ledger: LedgerID = Self.ledger) -> StoredEntry {
            StoredEntry(ledger: ledger, position: 12, id: id, type: "ThingHappened", bytes: bytes)
        }
        var wrong = [stored(good.bytes, id: UUID()), stored(good.bytes, id: id, ledger: LedgerID(UUID()))]
        for other in [
            text + " ", String(text.dropLast()), text.replacing(#""schema":3,"#, with: ""),
            text.replacing(#""data":{"a":1}"#, with: #""data":{"a": 1}"#), "", "{}",
        ] { wrong.append(stored(Array(other.utf8), id: id)) }
        for entry in wrong { #expect(throws: LedgerError.self) { try entry.event() } }
    }
}
