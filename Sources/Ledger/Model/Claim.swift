public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Names something that can belong to one owner only.
public struct ClaimKey: Sendable, Hashable {
    /// The ledger in which it is unique.
    public let ledger: LedgerID
    /// What it is, such as `email`: a lower-case ASCII letter, then up to 31 letters, digits, `.`, `_` or `-`.
    public let kind: String
    /// The keyed hash of it, 32 bytes.
    public let digest: [UInt8]

    /// Names a claim; a digest of another length is refused when the claim is taken.
    public init(ledger: LedgerID, kind: String, digest: [UInt8]) {
        self.ledger = ledger
        self.kind = kind
        self.digest = digest
    }

    var isWellFormed: Bool { digest.count == 32 && ASCIIName.claimKind.accepts(kind) }
}

/// Something that belongs to one owner, taken and given back in an append.
public struct Claim: Sendable, Hashable {
    /// What is owned.
    public var key: ClaimKey
    /// Who owns it: the id that a look-up finds.
    public var owner: UUID
    /// Up to 4,096 bytes that a look-up finds besides.
    public var value: [UInt8]?
    /// From when on anybody may take it; nil is never. Readers still find it after that.
    public var expiresAt: Timestamp?

    /// Makes a claim.
    public init(key: ClaimKey, owner: UUID, value: [UInt8]? = nil, expiresAt: Timestamp? = nil) {
        self.key = key
        self.owner = owner
        self.value = value
        self.expiresAt = expiresAt
    }

    /// The greatest length of ``value`` in bytes.
    static let maximumValueLength = 4_096
}

/// A claim that is given back.
public struct ClaimRelease: Sendable, Hashable {
    /// What was owned.
    public var key: ClaimKey
    /// Who must own it for the append to succeed; nil is anybody.
    public var owner: UUID?

    /// Makes a release.
    public init(key: ClaimKey, owner: UUID? = nil) {
        self.key = key
        self.owner = owner
    }
}
