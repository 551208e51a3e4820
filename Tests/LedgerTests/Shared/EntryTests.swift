import Canonical
import Foundation
import Testing
@testable import Ledger

@Suite struct EntryTests {
    private static let ledger = LedgerID(UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16)))
    private static let one = UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
    private static let stream = StreamID(ledger: ledger, kind: "employee", id: one)
    private static let time = Timestamp(microseconds: 1_700_000_000_000_001)

    private static func event(_ change: (inout NewEvent) -> Void = { _ in }) -> NewEvent {
        var event = NewEvent(
            id: one, stream: stream, type: "ThingHappened", data: ["b": 1, "a": ["c": "é"]], actor: one, app: one,
            requestId: "r-1.2_3", source: ["k": "x", "c": "y"], causes: [one])
        change(&event)
        return event
    }

    @Test func `the bytes of an entry never change`() throws {
        let id = "00000000-0000-4000-8000-000000000001"
        let full =
            #"{"actor":"\#(id)","app":"\#(id)","causes":["\#(id)"],"data":{"a":{"c":"é"},"b":1},"#
            + #""eventId":"\#(id)","ledger":"01020304-0506-4708-890a-0b0c0d0e0f10","requestId":"r-1.2_3","schema":1,"#
            + #""source":{"c":"y","k":"x"},"stream":"employee/\#(id)","streamVersion":7,"#
            + #""time":"2023-11-14T22:13:20.000001Z","type":"ThingHappened"}"#
        #expect(try String(decoding: Entry.encode(Self.event(), version: 7, time: Self.time), as: UTF8.self) == full)
        let bare = NewEvent(id: Self.one, stream: Self.stream, type: "T", data: [:])
        let least =
            #"{"data":{},"eventId":"\#(id)","ledger":"01020304-0506-4708-890a-0b0c0d0e0f10","schema":1,"#
            + #""stream":"employee/\#(id)","streamVersion":1,"time":"2023-11-14T22:13:20.000001Z","type":"T"}"#
        #expect(try String(decoding: Entry.encode(bare, version: 1, time: Self.time), as: UTF8.self) == least)
    }

    @Test func `an encoded entry is decoded unchanged`() throws {
        let event = Self.event()
        let bytes = try Entry.encode(event, version: 7, time: Self.time)
        let decoded = try Entry.decode(bytes, at: 9)
        #expect(decoded.position == 9 && decoded.streamVersion == 7 && decoded.time == Self.time)
        #expect(decoded.id == event.id && decoded.stream == event.stream && decoded.ledger == Self.ledger)
        #expect(decoded.type == event.type && decoded.schema == 1 && decoded.data == event.data)
        #expect(decoded.actor == event.actor && decoded.app == event.app && decoded.requestId == event.requestId)
        #expect(decoded.source == event.source && decoded.causes == event.causes)
        #expect(decoded.entry == bytes && decoded.leaf == MerkleTree.leafHash(bytes))
    }

    @Test func `malformed events are refused`() {
        let changes: [(inout NewEvent) -> Void] = [
            { $0.type = "thing" }, { $0.type = "" }, { $0.type = "Thing happened" },
            { $0.type = "T" + String(repeating: "x", count: 64) }, { $0.schema = 0 }, { $0.schema = 1 << 31 },
            { $0.requestId = "" }, { $0.requestId = "a b" }, { $0.requestId = String(repeating: "x", count: 65) },
            { $0.stream = StreamID(ledger: Self.ledger, kind: "Employee", id: Self.one) },
            { $0.stream = StreamID(ledger: Self.ledger, kind: "a/b", id: Self.one) },
            { $0.stream = StreamID(ledger: Self.ledger, kind: "", id: Self.one) },
            { $0.data = "text" }, { $0.data = ["a": .null] }, { $0.data = ["a": [.null]] }, { $0.data = ["é": 1] },
            { $0.data = ["a": .integer(1 << 53)] }, { $0.data = ["a": .integer(-(1 << 53))] },
            { $0.data = ["a": "\u{0}"] }, { $0.source = 1 }, { $0.causes = Array(repeating: Self.one, count: 65) },
            { $0.data = (0..<31).reduce(["a": 1]) { value, _ in ["a": value] } },
        ]
        for (index, change) in changes.enumerated() {
            let error = #expect(throws: LedgerError.self, "change \(index)") {
                try Entry.encode(Self.event(change), version: 1, time: Self.time)
            }
            #expect(error?.code == .invalidEvent, "change \(index)")
        }
    }

    @Test func `an entry of 65535 bytes round-trips, and a longer one is refused`() throws {
        let base = try Entry.encode(Self.event { $0.data = ["a": ""] }, version: 1, time: Self.time).count
        let room = Entry.maximumLength - base
        let largest = Self.event { $0.data = ["a": .string(String(repeating: "x", count: room))] }
        let bytes = try Entry.encode(largest, version: 1, time: Self.time)
        #expect(bytes.count == 65_535)
        #expect(try Entry.decode(bytes, at: 1).data == largest.data)
        let error = #expect(throws: LedgerError.self) {
            try Entry.encode(
                Self.event { $0.data = ["a": .string(String(repeating: "x", count: room + 1))] }, version: 1,
                time: Self.time)
        }
        #expect(error?.code == .entryTooLarge)
    }

    @Test func `data of the maximum depth round-trips`() throws {
        let event = Self.event { $0.data = (0..<29).reduce(["a": 1]) { value, _ in ["a": value] } }
        let bytes = try Entry.encode(event, version: 1, time: Self.time)
        #expect(try Entry.decode(bytes, at: 1).data == event.data)
    }

    @Test func `recorded bytes that no append can produce are refused`() throws {
        let text = String(decoding: try Entry.encode(Self.event(), version: 7, time: Self.time), as: UTF8.self)
        let changes: [(String, String)] = [
            (#""schema":1"#, #""schema":0"#), (#""schema":1,"#, #""schema":1,"secret":1,"#),
            (#""streamVersion":7"#, #""streamVersion":0"#), (#""type":"ThingHappened""#, #""type":"thing""#),
            ("employee/", "Employee/"), ("employee/", ""), ("00000000-0000-4000-8000-000000000001\"]", "x\"]"),
            (#""requestId":"r-1.2_3""#, #""requestId":"""#), ("r-1.2_3", "é"), (#","schema""#, #", "schema""#),
            (#""source":{"c":"y","k":"x"},"#, #""source":"x","#), (#"{"a":{"c":"é"},"b":1}"#, "[]"),
            (#"{"a":{"c":"é"},"b":1}"#, #"{"a":null}"#), ("000001Z", "000001"), (#""actor""#, #""Actor""#),
            (#"["00000000-0000-4000-8000-000000000001"]"#, "[]"),
        ]
        for (old, new) in changes {
            let changed = text.replacingOccurrences(of: old, with: new)
            #expect(changed != text, "\(old)")
            let error = #expect(throws: LedgerError.self, "\(old) → \(new)") {
                try Entry.decode(Array(changed.utf8), at: 1)
            }
            #expect(error?.code == .invalidEntry)
        }
    }
}

@Suite struct EntryOutlineTests {
    private static func entry(_ change: (inout NewEvent) -> Void = { _ in }) throws -> [UInt8] {
        let stream = StreamID(ledger: LedgerID(UUID()), kind: "employee", id: UUID())
        var event = NewEvent(
            id: UUID(), stream: stream, type: "ThingHappened", data: ["b": 1, "a": ["c": "d"]], actor: UUID(),
            app: UUID(), requestId: "r-1.2_3", source: ["k": "x", "c": "y"], causes: [UUID(), UUID()])
        change(&event)
        return try Entry.encode(event, version: 7, time: Timestamp(microseconds: 1_700_000_000_000_001))
    }

    private static let variants: [@Sendable (inout NewEvent) -> Void] = [
        { _ in }, { $0.actor = nil }, { $0.app = nil }, { $0.requestId = nil }, { $0.source = nil }, { $0.causes = [] },
        { $0.causes = [UUID()] }, { ($0.actor, $0.app, $0.requestId, $0.source, $0.causes) = (nil, nil, nil, nil, []) },
    ]

    @Test func `an outline has the same members as the entry`() throws {
        for variant in Self.variants {
            let bytes = try Self.entry(variant)
            let event = try Entry.decode(bytes, at: 1)
            let outline = try #require(EntryOutline(bytes))
            Self.expectSame(outline, event)
        }
    }

    @Test func `bytes that are no entry have no outline`() throws {
        let text = String(decoding: try Self.entry(), as: UTF8.self)
        let changes = [
            ("ThingHappened", "thingHappened"), ("\"schema\":1", "\"schema\":0"), ("\"schema\":1", "\"schema\":true"),
            ("\"streamVersion\":7", "\"streamVersion\":2147483648"), ("employee/", "Employee/"), ("employee/", "/"),
            ("employee/", "employee"), ("r-1.2_3", "r 1"), ("\"data\":{", "\"date\":{"), ("2023-", "0000-"),
            ("\"type\":\"", "\"type\":\"\",\"typf\":\""), ("\"requestId\":\"r-1.2_3\"", "\"requestId\":1"),
        ]
        for (old, new) in changes {
            let changed = Array(text.replacingOccurrences(of: old, with: new).utf8)
            #expect(changed != Array(text.utf8) && EntryOutline(changed) == nil, "\(old) → \(new)")
            #expect(throws: LedgerError.self) { try Entry.decode(changed, at: 1) }
        }
    }

    /// One or two damaged bytes anywhere: whatever still has an outline is an entry that says the same.
    @Test func `the outline of damaged bytes equals that of the decoded entry`() throws {
        let spare = Array("{}[]\",:0-19aftZ/".utf8)
        var accepted = 0
        for variant in Self.variants {
            let bytes = try Self.entry(variant)
            for place in bytes.indices {
                for byte in spare {
                    var damaged = bytes
                    damaged[place] = byte
                    guard let outline = EntryOutline(damaged) else { continue }
                    accepted += 1
                    Self.expectSame(outline, try Entry.decode(damaged, at: 1))
                }
                var shorter = bytes
                shorter.remove(at: place)
                if let outline = EntryOutline(shorter) { Self.expectSame(outline, try Entry.decode(shorter, at: 1)) }
            }
        }
        #expect(accepted > 1_000)
    }

    private static func expectSame(_ outline: EntryOutline, _ event: RecordedEvent) {
        #expect(outline.id == event.id && outline.ledger == event.ledger && outline.time == event.time)
        #expect(outline.streamID == event.stream.id && Int(outline.version) == event.streamVersion)
        #expect(outline.kind.elementsEqual(event.stream.kind.utf8) && outline.type.elementsEqual(event.type.utf8))
    }
}
