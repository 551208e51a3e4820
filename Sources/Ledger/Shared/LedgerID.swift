import Canonical
public import FoundationEssentials

/// The id of a ledger: the unit of order, isolation, integrity and distribution.
public struct LedgerID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The identifier in the database and in entries.
    public let uuid: UUID

    /// A ledger's id. A tenant's ledger has the tenant's id.
    public init(_ uuid: UUID) { self.uuid = uuid }

    /// The ledger of the installation itself: apps and checkpoints.
    public static let system = LedgerID(fixed: 0, 0)

    /// The ledger of all users whose id starts with this byte, and of all claims whose key does. It never changes.
    public static func directory(_ byte: UInt8) -> LedgerID { LedgerID(fixed: 1, byte) }

    /// All 256 directory ledgers, in order.
    public static let directories: [LedgerID] = (0...255).map { directory(UInt8($0)) }

    /// Whether this is one of the directories.
    public var isDirectory: Bool { self == .directory(uuid.uuid.15) }

    /// Fixed ids are UUIDs of version 8 (RFC 9562 §5.8), so no random or hashed id can equal one.
    private init(fixed kind: UInt8, _ byte: UInt8) {
        uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, kind, byte))
    }

    /// Compares the bytes, which is the order in which the database locks ledgers.
    public static func < (left: LedgerID, right: LedgerID) -> Bool {
        left.uuid < right.uuid
    }

    /// The canonical text of the identifier.
    public var description: String { uuid.lowercased }
}

/// The id of a stream: one aggregate inside a ledger, the unit of optimistic concurrency.
public struct StreamID: Sendable, Hashable, CustomStringConvertible {
    /// The ledger that the stream belongs to.
    public let ledger: LedgerID
    /// The kind of aggregate: a lower-case ASCII letter, then up to 31 letters or digits.
    public let kind: String
    /// The id of the aggregate.
    public let id: UUID

    /// A stream's id. A malformed kind is refused by the append.
    public init(ledger: LedgerID, kind: String, id: UUID) {
        self.ledger = ledger
        self.kind = kind
        self.id = id
    }

    /// The form in entries: `kind/uuid`, without the ledger.
    public var text: String { "\(kind)/\(id.lowercased)" }

    /// The ledger and the form in entries.
    public var description: String { "\(ledger)/\(text)" }

    /// Parses `kind/uuid`. Returns `nil` for anything else.
    init?(ledger: LedgerID, text: String) {
        let text = text.utf8
        // Neither a well-formed kind nor an id contains a slash.
        guard let slash = text.firstIndex(of: UInt8(ascii: "/")),
            let id = UUID(lowercased: Substring(text[text.index(after: slash)...])),
            let kind = String(text[..<slash])
        else { return nil }
        self.init(ledger: ledger, kind: kind, id: id)
        guard isWellFormed else { return nil }
    }

    var isWellFormed: Bool { ASCIIName.streamKind.accepts(kind) }
}

/// The rule for a name that is stored permanently: its ASCII characters and its length.
struct ASCIIName {
    struct Characters: OptionSet {
        let rawValue: UInt8
        static let lowerLetters = Characters(rawValue: 1)
        static let upperLetters = Characters(rawValue: 2)
        static let digits = Characters(rawValue: 4)
        static let marks = Characters(rawValue: 8)
        static let lettersAndDigits: Characters = [.lowerLetters, .upperLetters, .digits]

        /// Whether the character is in the set. The marks are `.`, `_` and `-`.
        func has(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): contains(.lowerLetters)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): contains(.upperLetters)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): contains(.digits)
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): contains(.marks)
            default: false
            }
        }
    }

    let first: Characters
    let rest: Characters
    let length: ClosedRange<Int>

    /// Whether a text follows the rule.
    func accepts(_ text: String) -> Bool {
        let bytes = text.utf8
        guard length.contains(bytes.count), let start = bytes.first, first.has(start) else { return false }
        return bytes.dropFirst().allSatisfy(rest.has)
    }

    /// Whether bytes follow the rule.
    func accepts(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard length.contains(bytes.count), let start = bytes.first, first.has(start) else { return false }
        return bytes.dropFirst().allSatisfy(rest.has)
    }

    static let eventType = ASCIIName(first: .upperLetters, rest: .lettersAndDigits, length: 1...64)
    /// The rule for request ids.
    static let requestId = ASCIIName(
        first: [.lettersAndDigits, .marks], rest: [.lettersAndDigits, .marks], length: 1...64)
    static let streamKind = ASCIIName(first: .lowerLetters, rest: .lettersAndDigits, length: 1...32)
    static let claimKind = ASCIIName(
        first: .lowerLetters, rest: [.lettersAndDigits, .marks], length: 1...32)
}
