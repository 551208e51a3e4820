import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Names a stream: one aggregate inside a ledger, the unit of optimistic concurrency.
public struct StreamID: Sendable, Hashable, CustomStringConvertible {
    /// The ledger it belongs to.
    public let ledger: LedgerID
    /// What kind of aggregate it is: a lower-case ASCII letter, then up to 31 letters or digits.
    public let kind: String
    /// Which one it is.
    public let id: UUID

    /// Names a stream. A malformed kind is refused when something is appended to it.
    public init(ledger: LedgerID, kind: String, id: UUID) {
        self.ledger = ledger
        self.kind = kind
        self.id = id
    }

    /// The form in entries: `kind/uuid`, without the ledger.
    public var text: String { "\(kind)/\(id.lowercased)" }

    /// The ledger and the form in entries.
    public var description: String { "\(ledger)/\(text)" }

    /// Reads `kind/uuid`; nil for anything else.
    init?(ledger: LedgerID, text: String) {
        let text = text.utf8
        // A well-formed kind has no slash, and an id neither.
        guard let slash = text.firstIndex(of: UInt8(ascii: "/")),
            let id = UUID(lowercased: Substring(text[text.index(after: slash)...])),
            let kind = String(text[..<slash])
        else { return nil }
        self.init(ledger: ledger, kind: kind, id: id)
        guard isWellFormed else { return nil }
    }

    /// Whether the kind follows its rule.
    var isWellFormed: Bool { ASCIIName.streamKind.accepts(kind) }
}
