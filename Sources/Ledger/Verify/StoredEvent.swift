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
    func checked(_ ledger: LedgerID) -> CheckedEvent {
        let leafOfEntry = MerkleTree.leafHash(entry)
        let event: RecordedEvent
        do { event = try Entry.decode(entry, at: position, leaf: leafOfEntry) } catch {
            return CheckedEvent(
                position: position, leaf: leafOfEntry, event: nil,
                violation: Violation(.entry, ledger: ledger, position: position, error.reason))
        }
        guard event.ledger == ledger else {
            let words = "the entry is one of another ledger"
            return CheckedEvent(
                position: position, leaf: leafOfEntry, event: nil,
                violation: Violation(.entry, ledger: ledger, position: position, words))
        }
        let column = differingColumn(event)
        return CheckedEvent(
            position: position, leaf: leafOfEntry, event: event,
            violation: column.map {
                Violation(.column, ledger: ledger, position: position, "column \($0) does not repeat the entry")
            })
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
    /// The event; nil when the bytes are none of this ledger.
    let event: RecordedEvent?
    let violation: Violation?
}
