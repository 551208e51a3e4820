import Canonical

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A row of the log counts for nothing: no service wrote it, as its code shows.
///
/// Its leaf stays in the tree. Readers leave the event out, and its version in its stream counts.
package struct EntryDisowned: EventPayload {
    /// The ledger of the row.
    package var ledger: UUID
    /// The position of the row.
    package var position: Int64
    /// The leaf hash of its entry; a row with another entry is not meant.
    package var leaf: Bytes32

    package init(ledger: UUID, position: Int64, leaf: Bytes32) {
        self.ledger = ledger
        self.position = position
        self.leaf = leaf
    }

    /// The members as the log has them.
    package static let members = EventMembers<EntryDisowned>(
        "EntryDisowned", EntryDisowned.init,
        Member("ledger", \.ledger), Member("position", \.position, .position), Member("leaf", \.leaf))
}
