import Canonical
import Foundation
import Testing

@testable import Ledger

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

    @Test func `an outline says what the entry says`() throws {
        for variant in Self.variants {
            let bytes = try Self.entry(variant)
            let event = try Entry.decode(bytes, at: 1)
            let outline = try #require(EntryOutline(bytes))
            Self.expectSame(outline, event)
        }
    }

    @Test func `what an entry may not be has no outline`() throws {
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
    @Test func `an outline of damaged bytes is that of an entry`() throws {
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
