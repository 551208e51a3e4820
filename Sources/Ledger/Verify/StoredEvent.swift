import Canonical
import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A row of the log, with the columns that repeat what its entry says.
struct StoredEvent: Sendable {
    let position: Int64
    let id: UUID
    let stream: UUID
    let kind: String
    let version: Int32
    let type: String
    let time: Timestamp
    let entry: [UInt8]
    let leaf: [UInt8]

    init(_ row: PostgresRow) throws {
        let time: PostgresTimestamp
        (position, id, stream, kind, version, type, time, entry, leaf) = try row.decode(
            Int64.self, UUID.self, UUID.self, String.self, Int32.self, String.self, PostgresTimestamp.self,
            [UInt8].self, [UInt8].self)
        self.time = Timestamp(time)
    }

    /// The rows of a ledger after a position.
    static func rows(_ ledger: LedgerID, after position: Int64, to last: Int64, limit: Int) -> SQL {
        """
        SELECT position, event_id, stream_id, kind, version, type, "time", entry, leaf FROM tenure.event
        WHERE ledger_id = \(ledger.uuid) AND position > \(position) AND position <= \(last)
        ORDER BY position LIMIT \(Int64(limit))
        """
    }

    /// What the row says, with the entry as the truth.
    ///
    /// - Parameter inspector: Says whether the event has to be read in full although it is right.
    func checked(_ ledger: LedgerID, for inspector: some EventInspector) -> CheckedEvent {
        let leafOfEntry = MerkleTree.leafHash(entry)
        if !inspector.concerns(type), leafOfEntry == leaf, let outline = EntryOutline(entry),
            outline.ledger == ledger, isRepeated(by: outline)
        {
            return CheckedEvent(
                position: position, leaf: leafOfEntry, time: outline.time, event: nil, violation: nil)
        }
        return read(ledger, leafOfEntry)
    }

    /// Reads the whole entry, also to say what is wrong with it.
    private func read(_ ledger: LedgerID, _ leafOfEntry: [UInt8]) -> CheckedEvent {
        let event: RecordedEvent
        do { event = try Entry.decode(entry, at: position, leaf: leafOfEntry) } catch {
            return CheckedEvent(
                position: position, leaf: leafOfEntry, time: nil, event: nil,
                violation: Violation(.entry, ledger: ledger, position: position, error.reason))
        }
        guard event.ledger == ledger else {
            let words = "the entry is one of another ledger"
            return CheckedEvent(
                position: position, leaf: leafOfEntry, time: nil, event: nil,
                violation: Violation(.entry, ledger: ledger, position: position, words))
        }
        let column = differingColumn(event)
        return CheckedEvent(
            position: position, leaf: leafOfEntry, time: event.time, event: event,
            violation: column.map {
                Violation(.column, ledger: ledger, position: position, "column \($0) does not repeat the entry")
            })
    }

    /// Whether the columns say what the entry says.
    private func isRepeated(by outline: EntryOutline) -> Bool {
        outline.id == id && outline.streamID == stream && outline.version == version && outline.time == time
            && outline.kind.elementsEqual(kind.utf8) && outline.type.elementsEqual(type.utf8)
    }

    private func differingColumn(_ event: RecordedEvent) -> String? {
        if event.id != id { return "event_id" }
        if event.stream.id != stream { return "stream_id" }
        if !event.stream.kind.utf8.elementsEqual(kind.utf8) { return "kind" }
        if event.streamVersion != Int(version) { return "version" }
        if !event.type.utf8.elementsEqual(type.utf8) { return "type" }
        if event.time != time { return "time" }
        if event.leaf != leaf { return "leaf" }
        return nil
    }
}

/// A row after it was held against its entry.
struct CheckedEvent: Sendable {
    let position: Int64
    /// The hash of the entry, computed from its bytes.
    let leaf: [UInt8]
    /// When it happened; nil when the bytes are no event of this ledger.
    let time: Timestamp?
    /// The event; nil when the bytes are none of this ledger, or nobody wants to read it.
    let event: RecordedEvent?
    let violation: Violation?
}
