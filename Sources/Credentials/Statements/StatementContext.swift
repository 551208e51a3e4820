public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The members that every statement has: who decides, by which right, on which view of the ledger, until when.
public struct StatementContext: Sendable, Hashable {
    /// The tenant (`tenant`).
    public var tenant: UUID
    /// The key that signs (`signer`): an employee's or an app's authority key.
    public var signer: SignerPublicKey
    /// The hash of the event that gives the signer authority, 32 bytes (`authority`).
    public var authority: [UInt8]
    /// The number of entries of the tenant's ledger that the signer saw (`ledgerSize`), 0 to 2^53 − 1.
    public var ledgerSize: Int64
    /// The Merkle root of those entries, 32 bytes (`ledgerRoot`).
    public var ledgerRoot: [UInt8]
    /// The last moment at which the statement may be appended (`expires`).
    public var expires: Timestamp
    /// 32 random bytes (`nonce`).
    public var nonce: [UInt8]

    /// Collects the members; ``check()`` judges them.
    public init(
        tenant: UUID, signer: SignerPublicKey, authority: [UInt8], ledgerSize: Int64, ledgerRoot: [UInt8],
        expires: Timestamp, nonce: [UInt8]
    ) {
        self.tenant = tenant
        self.signer = signer
        self.authority = authority
        self.ledgerSize = ledgerSize
        self.ledgerRoot = ledgerRoot
        self.expires = expires
        self.nonce = nonce
    }

    /// Refuses a statement that may no longer be appended.
    ///
    /// - Throws: ``CredentialsError/Code/expired``.
    public func checkExpiry(at now: Timestamp) throws(CredentialsError) {
        guard now <= expires else { throw CredentialsError(.expired) }
    }

    var members: [String: JSONValue] {
        [
            "tenant": .uuid(tenant), "signer": .bytes(signer.bytes), "authority": .bytes(authority),
            "ledgerSize": .integer(ledgerSize), "ledgerRoot": .bytes(ledgerRoot), "expires": .timestamp(expires),
            "nonce": .bytes(nonce),
        ]
    }

    init(members reader: inout ObjectReader) throws {
        self.init(
            tenant: try reader.uuid("tenant"),
            signer: try SignerPublicKey(bytes: try reader.bytes("signer", count: 65)),
            authority: try reader.bytes("authority", count: 32), ledgerSize: try reader.integer("ledgerSize"),
            ledgerRoot: try reader.bytes("ledgerRoot", count: 32), expires: try reader.timestamp("expires"),
            nonce: try reader.bytes("nonce", count: 32))
    }

    func check() throws(CredentialsError) {
        try StatementCheck.hash(authority, "authority")
        try StatementCheck.hash(ledgerRoot, "ledgerRoot")
        try StatementCheck.hash(nonce, "nonce")
        guard (0...JSONValue.integerRange.upperBound).contains(ledgerSize) else {
            throw CredentialsError(.statementInvalid, field: "ledgerSize")
        }
    }
}

/// The key that signs a statement: an employee's key or an app's authority key.
public struct SignerPublicKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// Takes a validated point.
    public init(validated point: ValidatedPoint) { bytes = point.bytes }
    /// An employee who signs.
    public init(_ key: EmployeePublicKey) { bytes = key.bytes }
    /// An app that vouches.
    public init(_ key: AppAuthorityPublicKey) { bytes = key.bytes }
}

enum StatementCheck {
    static func hash(_ bytes: [UInt8], _ name: String) throws(CredentialsError) {
        guard bytes.count == 32 else { throw CredentialsError(.statementInvalid, field: name) }
    }

    static func code(_ text: String, _ name: String) throws(CredentialsError) {
        guard text.isCodeName else { throw CredentialsError(.statementInvalid, field: name) }
    }
}
