package import Canonical
package import FoundationEssentials

/// Checkpoints were signed: ledgers had these sizes and roots.
///
/// It records the database's clock too, so that the times of events can be held against it.
package struct CheckpointSealed: EventPayload {
    /// The largest number of ledgers in one event, chosen so that an entry has room for them.
    package static let maximumCount = 400

    /// The signed checkpoint of one ledger.
    package struct Checkpoint: FlatObject, Equatable {
        package var ledger: UUID
        /// The number of the ledger's entries, at least 1.
        package var size: Int64
        /// The root over these entries.
        package var root: Bytes32

        /// The members of an element of `checkpoints`.
        package static let members = MemberTable<Checkpoint, Void>(
            "Checkpoint", Checkpoint.init,
            Member("ledger", \.ledger), Member("size", \.size, .position), Member("root", \.root))

        package init(ledger: UUID, size: Int64, root: Bytes32) {
            self.ledger = ledger
            self.size = size
            self.root = root
        }
    }

    /// The checkpoints, at most 400; none if nothing grew: the event then only records the time.
    package var checkpoints: [Checkpoint]
    /// The database's clock after the ledgers were read. No covered event is later.
    package var clock: Timestamp
    /// The database's clock before the ledgers were read, in the last event of a complete round; `nil` in others.
    ///
    /// This event or an earlier one covers everything that was committed by then, in any ledger.
    package var asOf: Timestamp?

    package init(checkpoints: [Checkpoint], clock: Timestamp, asOf: Timestamp? = nil) {
        self.checkpoints = checkpoints
        self.clock = clock
        self.asOf = asOf
    }

    package static let members = EventMembers<CheckpointSealed>(
        "CheckpointSealed", CheckpointSealed.init,
        Member("checkpoints", \.checkpoints, .array(of: Checkpoint.memberKind) { _ in 0...maximumCount }),
        Member("clock", \.clock), Member(optional: "asOf", \.asOf))
}
