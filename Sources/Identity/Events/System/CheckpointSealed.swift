public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The trees of ledgers had these roots: what was signed as their checkpoints.
public struct CheckpointSealed: EventPayload {
    /// The permanent name.
    public static let type = "CheckpointSealed"
    /// How many ledgers one event can name: as many as an entry has room for, and some.
    public static let maximumCount = 400

    /// What was signed of one ledger.
    public struct Checkpoint: Sendable, Equatable {
        /// The ledger.
        public var ledger: UUID
        /// The number of its entries, from 1.
        public var size: Int64
        /// The root over them.
        public var root: Bytes32

        /// Makes a checkpoint.
        public init(ledger: UUID, size: Int64, root: Bytes32) {
            self.ledger = ledger
            self.size = size
            self.root = root
        }
    }

    /// The checkpoints, 1 to 400.
    public var checkpoints: [Checkpoint]

    /// Makes the event.
    public init(checkpoints: [Checkpoint]) { self.checkpoints = checkpoints }

    /// The member `data`.
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

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
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
