package import Canonical

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Checkpoints were signed: ledgers had these sizes and roots.
///
/// From version 2 on it records the database's clock too, so that the times of events can be held against it.
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

    /// The schema version that the event is written in. Version 2 has the database's clock, and may have no checkpoint.
    package var schema: Int { clock == nil ? 1 : 2 }
    /// The checkpoints, 1 to 400. From version 2 on none if nothing grew: the event then only records the time.
    package var checkpoints: [Checkpoint]
    /// The database's clock after the ledgers were read; `nil` in version 1. No covered event is later.
    package var clock: Timestamp?
    /// The database's clock before the ledgers were read, in the last event of a complete round; `nil` in others.
    ///
    /// This event or an earlier one covers everything that was committed by then, in any ledger.
    package var asOf: Timestamp?

    /// Without a clock the event has version 1, which has no ``asOf``.
    package init(checkpoints: [Checkpoint], clock: Timestamp? = nil, asOf: Timestamp? = nil) {
        self.checkpoints = checkpoints
        self.clock = clock
        self.asOf = clock == nil ? nil : asOf
    }

    /// The members as the log has them.
    package static let members = EventMembers<CheckpointSealed>(
        "CheckpointSealed", schemas: 1...2, CheckpointSealed.init,
        Member("checkpoints", \.checkpoints, .array(of: Checkpoint.memberKind, counts)),
        Member("clock", \.clock, since: 2), Member(optional: "asOf", \.asOf, since: 2))

    /// Version 1 has a checkpoint at least.
    private static func counts(_ schema: Int) -> ClosedRange<Int> { (schema == 1 ? 1 : 0)...maximumCount }
}
