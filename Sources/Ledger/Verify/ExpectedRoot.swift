/// The root that a ledger's tree must have at a size.
public struct ExpectedRoot: Sendable, Equatable {
    /// Who says so.
    public enum Source: Sendable, Equatable, CustomStringConvertible {
        /// The checkpoint that an auditor kept.
        case anchor
        /// The newest signed checkpoint in the database, or in a bundle.
        case checkpoint
        /// An event of the system ledger, at this position.
        case record(Int64)

        /// In words.
        public var description: String {
            switch self {
            case .anchor: "the anchor"
            case .checkpoint: "the signed checkpoint"
            case .record(let position): "the checkpoint recorded in the system ledger at position \(position)"
            }
        }
    }

    /// The number of entries.
    public let size: Int64
    /// The root, 32 bytes.
    public let root: [UInt8]
    /// Who says so.
    public let source: Source

    /// Names a root.
    public init(size: Int64, root: [UInt8], source: Source) {
        self.size = size
        self.root = root
        self.source = source
    }
}
