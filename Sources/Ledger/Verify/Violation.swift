/// Something that is not as the log's rules say, and where; safe to print.
public struct Violation: Sendable, Equatable, CustomStringConvertible {
    /// What kind of thing is wrong; more may be added.
    public enum Kind: String, Sendable {
        /// An event is not there.
        case missing
        /// An event is there that the head does not count.
        case unexpected
        /// Bytes are not an entry, or one of another ledger.
        case entry
        /// A column does not repeat what the entry says.
        case column
        /// Versions of a stream have a hole, or its row counts otherwise.
        case stream
        /// Time ran backwards.
        case time
        /// The head has another size or time than the events.
        case head
        /// A stored tile is not what the entries say.
        case tile
        /// The entries do not have the root that was signed or recorded.
        case root
        /// A checkpoint is malformed, not signed by the key, or older than what is recorded.
        case checkpoint
        /// A signature inside an event does not verify, or is not by whom it should be.
        case signature
    }

    /// The ledger.
    public let ledger: LedgerID
    /// The first position that is concerned; nil when it is about the ledger as a whole.
    public let position: Int64?
    /// The last position that it can be at, where hashes tell only that it is one of several.
    public let lastPosition: Int64?
    /// What kind of thing is wrong.
    public let kind: Kind
    /// What is wrong, in words without content.
    public let detail: String

    /// Names a violation.
    public init(
        _ kind: Kind, ledger: LedgerID, position: Int64? = nil, lastPosition: Int64? = nil, _ detail: String
    ) {
        self.kind = kind
        self.ledger = ledger
        self.position = position
        self.lastPosition = lastPosition ?? position
        self.detail = detail
    }

    /// Ledger, position and detail.
    public var description: String {
        "ledger \(ledger)" + (position.map { ", position \($0)" } ?? "") + ": \(detail)"
    }
}
