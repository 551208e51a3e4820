public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Checkpoints were signed: ledgers had these sizes and roots.
///
/// From version 2 on it records the database's clock too, so that the times of events can be held against it.
public struct CheckpointSealed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "CheckpointSealed"
    /// Version 2 has the database's clock, and may have no checkpoint.
    public static let schemas = 1...2
    /// The largest number of ledgers in one event, chosen so that an entry has room for them.
    public static let maximumCount = 400

    /// The signed checkpoint of one ledger.
    public struct Checkpoint: Sendable, Equatable {
        /// The ledger.
        public var ledger: UUID
        /// The number of the ledger's entries, at least 1.
        public var size: Int64
        /// The root over these entries.
        public var root: Bytes32

        /// Each parameter sets the property of the same name.
        public init(ledger: UUID, size: Int64, root: Bytes32) {
            self.ledger = ledger
            self.size = size
            self.root = root
        }
    }

    /// The schema version: 2 with the database's clock.
    public var schema: Int { clock == nil ? 1 : 2 }
    /// The checkpoints, 1 to 400. From version 2 on none if nothing grew: the event then only records the time.
    public var checkpoints: [Checkpoint]
    /// The database's clock after the ledgers were read; `nil` in version 1. No covered event is later.
    public var clock: Timestamp?
    /// The database's clock before the ledgers were read, in the last event of a complete round; `nil` in others.
    ///
    /// This event or an earlier one covers everything that was committed by then, in any ledger.
    public var asOf: Timestamp?

    /// Each parameter sets the member of the same name. Without a clock the event has version 1.
    public init(checkpoints: [Checkpoint], clock: Timestamp? = nil, asOf: Timestamp? = nil) {
        self.checkpoints = checkpoints
        self.clock = clock
        self.asOf = clock == nil ? nil : asOf
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(checkpoints.count, Self.counts(schema), "/data/checkpoints")
        let items = checkpoints.map { checkpoint -> JSONValue in
            .object([
                "ledger": .uuid(checkpoint.ledger), "size": .integer(checkpoint.size),
                "root": .bytes(checkpoint.root.bytes),
            ])
        }
        return .objectOmittingNil([
            "checkpoints": .array(items), "clock": clock.map(JSONValue.timestamp),
            "asOf": asOf.map(JSONValue.timestamp),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        checkpoints = try reader.objects("checkpoints", Self.counts(schema)) { item throws(JSONError) in
            let size = try item.integer("size", in: 1...JSONValue.integerRange.upperBound)
            guard let root = Bytes32(try item.bytes("root")) else {
                throw item.invalid("root", "32 bytes are expected")
            }
            return Checkpoint(ledger: try item.uuid("ledger"), size: size, root: root)
        }
        if schema > 1 {
            clock = try reader.time("clock")
            asOf = try reader.optionalTime("asOf")
        }
        try reader.finish()
    }

    private static func counts(_ schema: Int) -> ClosedRange<Int> { (schema == 1 ? 1 : 0)...maximumCount }
}
