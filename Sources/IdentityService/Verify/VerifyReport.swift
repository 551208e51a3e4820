public import Ledger

/// What a verification found.
public struct VerifyReport: Sendable {
    /// How many ledgers were verified.
    public internal(set) var ledgers = 0
    /// How many events.
    public internal(set) var events: Int64 = 0
    /// How many of them are covered by a signed checkpoint; later ones are vouched for by nothing yet.
    public internal(set) var sealedEvents: Int64 = 0
    /// Whether an anchor was given and held against the system ledger; a bundle without all of that ledger cannot be.
    public internal(set) var isAnchored = false
    /// What is wrong, ledger by ledger; nothing when the log is what was signed.
    public internal(set) var violations: [Violation] = []
    /// The chain that was asked for, from its key to the root; empty when no such key was ever authorized.
    public internal(set) var chain: [AuthorityLink] = []
}

/// What a verification is asked for.
public struct VerifyRequest: Sendable {
    /// The key that signed the checkpoints.
    public var key: LogKey
    /// What an auditor kept.
    public var anchor: Anchor?
    /// Only this ledger, besides the system ledger, which vouches for it.
    public var ledger: LedgerID?
    /// Whether signatures inside events are verified.
    public var checksSignatures: Bool
    /// The fingerprint of the founder's first key, in hexadecimal, when somebody knows it; with ``ledger``.
    public var founderFingerprint: String?
    /// The fingerprint of a key whose chain of authority is wanted, in hexadecimal; with ``ledger``.
    public var chainFingerprint: String?

    /// Asks for everything.
    public init(
        key: LogKey, anchor: Anchor? = nil, ledger: LedgerID? = nil, checksSignatures: Bool = true,
        founderFingerprint: String? = nil, chainFingerprint: String? = nil
    ) {
        self.key = key
        self.anchor = anchor
        self.ledger = ledger
        self.checksSignatures = checksSignatures
        self.founderFingerprint = founderFingerprint
        self.chainFingerprint = chainFingerprint
    }
}
