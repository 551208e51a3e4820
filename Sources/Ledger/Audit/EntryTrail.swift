public import Canonical

/// Follows the entries of one ledger in order and records violations. It does no I/O, so that a database and a bundle
/// are checked by the same rules.
///
/// Its memory does not grow with the ledger, except for the roots it is told to expect.
struct EntryTrail: Sendable {
    /// The limit of violations per ledger. Further ones nearly always follow from the first.
    static let maximumViolations = 100

    let ledger: LedgerID
    private(set) var violations: [Violation] = []
    /// The last position that was read.
    private(set) var size: Int64 = 0
    /// The time of the last event.
    private(set) var time: Timestamp?
    /// Full tiles computed from entries and not yet taken.
    private(set) var tiles: [(level: Int, index: Int64, tile: MerkleTile)] = []
    private var levels: [[[UInt8]]] = [[]]
    private var frontier = MerkleFrontier()
    private var expected: ArraySlice<ExpectedRoot>
    /// The largest size whose root was verified.
    private var proved: Int64 = 0
    /// Whether a tree can still be computed: `false` after a gap.
    private var hasTree = true

    init(ledger: LedgerID, expecting roots: [ExpectedRoot]) {
        self.ledger = ledger
        expected = roots.sorted { $0.size < $1.size }[...]
    }

    /// Takes the next entry.
    mutating func take(_ checked: CheckedEvent) {
        if checked.position != size + 1 {
            let words = checked.position == size + 2 ? "the event is missing" : "events are missing"
            report(Violation(.missing, ledger: ledger, position: size + 1, words))
            hasTree = false
        }
        size = checked.position
        if let violation = checked.violation { report(violation) }
        if let next = checked.time {
            if let time, next < time {
                report(
                    Violation(
                        .time, ledger: ledger, position: size, "the time is earlier than that of the previous event"))
            }
            time = next
        }
        guard hasTree else { return }
        frontier.append(checked.leaf)
        addToTile(checked.leaf, level: 0)
        while let next = expected.first, next.size <= size {
            expected.removeFirst()
            compare(next)
        }
    }

    /// Ends the ledger. Reports expected roots of larger sizes as missing events.
    mutating func finish() {
        // Further roots of larger sizes would report the same events.
        guard let next = expected.first(where: { $0.size > size }) else { return }
        report(
            Violation(
                .missing, ledger: ledger, position: size + 1,
                "\(next.source) has \(next.size) events, the ledger has \(size)"))
    }

    mutating func report(_ violation: Violation) {
        if violations.count < Self.maximumViolations { violations.append(violation) }
    }

    /// Returns the full tiles computed since the last call.
    mutating func takeTiles() -> [(level: Int, index: Int64, tile: MerkleTile)] {
        defer { tiles = [] }
        return tiles
    }

    private mutating func compare(_ next: ExpectedRoot) {
        guard next.size == size else { return }
        if frontier.root == next.root {
            proved = size
        } else {
            let range = proved + 1 == size ? "at position \(size)" : "at positions \(proved + 1) to \(size)"
            report(
                Violation(
                    .root, ledger: ledger, position: proved + 1, lastPosition: size,
                    "the entries \(range) are not those of \(next.source) at size \(size)"))
            // Every later root differs too, so none is compared any more.
            expected = []
        }
    }

    private mutating func addToTile(_ hash: [UInt8], level: Int) {
        if level == levels.count { levels.append([]) }
        levels[level].append(hash)
        guard let tile = MerkleTile(hashes: levels[level]) else { return }
        levels[level].removeAll(keepingCapacity: true)
        let index = size / MerkleTile.leaves(belowLevel: level + 1) - 1
        tiles.append((level, index, tile))
        addToTile(tile.root, level: level + 1)
    }
}

/// The root that a ledger's tree must have at a given size.
public struct ExpectedRoot: Sendable, Equatable {
    /// Where an expected root comes from.
    public enum Source: Sendable, Equatable, CustomStringConvertible {
        /// The checkpoint that an auditor kept.
        case anchor
        /// The newest signed checkpoint in the database, or in a bundle.
        case checkpoint
        /// An event of the system ledger, at this position.
        case record(Int64)

        /// The source in words.
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
    /// Where the root comes from.
    public let source: Source

    /// The `root` of a ledger at `size`, as `source` states it.
    public init(size: Int64, root: [UInt8], source: Source) {
        self.size = size
        self.root = root
        self.source = source
    }
}

/// Inspects the content of events. Verification itself knows only their form.
public protocol EventInspector: Sendable {
    /// Whether events of a type are inspected at all. Others are only compared with their rows, which is faster.
    func concerns(_ type: String) -> Bool

    /// Inspects an event by itself. Called on several cores at once, in no order.
    ///
    /// - Returns: What is wrong, or `nil`.
    func inspect(_ event: RecordedEvent) -> String?

    /// Inspects an event in the light of those before it. Called in the order of positions.
    ///
    /// - Returns: What is wrong, or `nil`.
    mutating func follow(_ event: RecordedEvent) -> String?

    /// Notes an event that was not parsed, in its place between those passed to ``follow(_:)``.
    ///
    /// - Parameter time: The event's time; `nil` if the entry is malformed.
    /// - Returns: What is wrong, or `nil`.
    mutating func pass(_ leaf: [UInt8], at position: Int64, _ time: Timestamp?, of ledger: LedgerID) -> String?
}

/// An inspector that accepts every event.
public struct UncriticalInspector: EventInspector {
    /// An inspector without state.
    public init() {}
    /// Returns `false`: no event has to be parsed.
    public func concerns(_ type: String) -> Bool { false }
    /// Returns `nil`: nothing is wrong.
    public func inspect(_ event: RecordedEvent) -> String? { nil }
    /// Returns `nil`: nothing is wrong.
    public func follow(_ event: RecordedEvent) -> String? { nil }
    /// Returns `nil`: nothing is wrong.
    public func pass(_ leaf: [UInt8], at position: Int64, _ time: Timestamp?, of ledger: LedgerID) -> String? { nil }
}

/// A violation of the log's rules, and where it is. Its text is safe to print.
public struct Violation: Sendable, Equatable, CustomStringConvertible {
    /// The kinds of violation. More may be added.
    public enum Kind: String, Sendable {
        /// An event is missing.
        case missing
        /// An event lies beyond what the head counts.
        case unexpected
        /// Bytes are not an entry, or are an entry of another ledger.
        case entry
        /// A column differs from the entry.
        case column
        /// The versions of a stream have a gap, or its row has another count.
        case stream
        /// Time ran backwards.
        case time
        /// The head has another size or time than the events.
        case head
        /// A stored tile differs from the entries.
        case tile
        /// The entries do not have the root that was signed or recorded.
        case root
        /// A checkpoint is malformed, not signed by the key, or older than what is recorded.
        case checkpoint
        /// A signature inside an event does not verify, or is by the wrong key.
        case signature
        /// A row beside the log does not agree with it.
        case row
    }

    /// The ledger.
    public let ledger: LedgerID
    /// The first position concerned, or `nil` if the violation concerns the ledger as a whole.
    public let position: Int64?
    /// The last position concerned, if hashes only narrow the violation down to a range.
    public let lastPosition: Int64?
    /// What kind of thing is wrong.
    public let kind: Kind
    /// What is wrong, in words that quote no content.
    public let detail: String

    /// A violation of `kind` at a position, or in a range of positions.
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
