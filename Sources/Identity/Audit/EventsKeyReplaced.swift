package import Canonical
package import FoundationEssentials

/// The key of the codes of events was replaced. A code of the old key counts up to the sizes that the ledgers had then.
package struct EventsKeyReplaced: EventPayload {
    /// The largest number of ledgers in one event, chosen so that an entry has room for them.
    package static let maximumCount = 400

    /// The size of a ledger.
    package struct Size: FlatObject, Equatable {
        package var ledger: UUID
        /// The number of the ledger's entries, at least 1.
        package var size: Int64

        /// The members of an element of `sizes`.
        package static let members = MemberTable<Size, Void>(
            "Size", Size.init, Member("ledger", \.ledger), Member("size", \.size, .position))

        package init(ledger: UUID, size: Int64) {
            self.ledger = ledger
            self.size = size
        }
    }

    /// The two bytes that name the old key in its codes.
    package var key: [UInt8]
    /// The ledgers with events; several events of one append name more.
    package var sizes: [Size]

    package init(key: [UInt8], sizes: [Size]) {
        self.key = key
        self.sizes = sizes
    }

    package static let members = EventMembers<EventsKeyReplaced>(
        "EventsKeyReplaced", EventsKeyReplaced.init,
        Member("key", \.key, .bytes(2...2)),
        Member("sizes", \.sizes, .array(of: Size.memberKind) { _ in 1...maximumCount }))
}
