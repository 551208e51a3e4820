import Canonical
package import FoundationEssentials

/// A row of the log counts for nothing: no service wrote it, as its code shows.
///
/// Its leaf stays in the tree. Readers leave the event out, and its version in its stream counts. The service disowns a
/// row only as long as no checkpoint covers it; afterwards the operator decides.
package struct EntryDisowned: EventPayload, AggregateEvent {
    package var ledger: UUID
    package var position: Int64
    /// The leaf hash of its entry; a row with another entry is not meant.
    package var leaf: Bytes32
    /// The operator, who disowns a row below a checkpoint; `nil` for the service.
    package var by: Authority?

    package init(ledger: UUID, position: Int64, leaf: Bytes32, by: Authority? = nil) {
        self.ledger = ledger
        self.position = position
        self.leaf = leaf
        self.by = by
    }

    package static let cases = AggregateCases<EntryDisowned>({ @Sendable (event: EntryDisowned) in event })
    package var payload: any EventPayload { self }

    package static let members = EventMembers<EntryDisowned>(
        "EntryDisowned", EntryDisowned.init,
        Member("ledger", \.ledger), Member("position", \.position, .position), Member("leaf", \.leaf),
        Member(optional: "by", \.by))
}
