public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What an append became.
public struct Appended: Sendable, Equatable {
    /// The position of each event in its ledger, by the event's id.
    public let positions: [UUID: Int64]
    /// The last of these positions for each ledger: what a reader waits for to read its own writes.
    public let last: [LedgerID: Int64]
    /// The time the events carry.
    public let time: Timestamp
    /// Whether the same append had been recorded before; then these are the positions of that time.
    public let wasDuplicate: Bool

    init(events: [NewEvent], positions: [Int64], time: Timestamp, wasDuplicate: Bool) {
        var byEvent: [UUID: Int64] = [:]
        var last: [LedgerID: Int64] = [:]
        for (event, position) in zip(events, positions) {
            byEvent[event.id] = position
            last[event.stream.ledger] = max(last[event.stream.ledger] ?? 0, position)
        }
        self.positions = byEvent
        self.last = last
        self.time = time
        self.wasDuplicate = wasDuplicate
    }
}
