public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Checkpoints were signed: ledgers had these sizes and roots.
public struct CheckpointSealed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "CheckpointSealed"
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

    /// The checkpoints, 1 to 400.
    public var checkpoints: [Checkpoint]

    /// Each parameter sets the member of the same name.
    public init(checkpoints: [Checkpoint]) { self.checkpoints = checkpoints }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(checkpoints.count, 1...Self.maximumCount, "/data/checkpoints")
        let items = checkpoints.map { checkpoint -> JSONValue in
            .object([
                "ledger": .uuid(checkpoint.ledger), "size": .integer(checkpoint.size),
                "root": .bytes(checkpoint.root.bytes),
            ])
        }
        return .object(["checkpoints": .array(items)])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        checkpoints = try reader.objects("checkpoints", 1...Self.maximumCount) { item throws(JSONError) in
            let size = try item.integer("size", in: 1...JSONValue.integerRange.upperBound)
            guard let root = Bytes32(try item.bytes("root")) else {
                throw item.invalid("root", "32 bytes are expected")
            }
            return Checkpoint(ledger: try item.uuid("ledger"), size: size, root: root)
        }
        try reader.finish()
    }
}
