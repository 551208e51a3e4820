public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A decision to be signed by somebody with authority: a tag line and canonical JSON of random ids, keys, hashes and
/// codes. A code has 1 to 64 characters A–Z a–z 0–9 `.` `_` `-`.
///
/// A statement contains no personal text, so that every signature stays verifiable after an erasure.
///
/// ```swift
/// let statement = try KeyStatement(parsing: bytes, expecting: .keyAuthorization)
/// try statement.context.checkExpiry(at: .now())
/// let signature = try statement.verify(proof: proof)     // by the key that the statement names
/// ```
public protocol Statement: SignedObject {
    /// The tags of this kind of statement, one per meaning.
    static var tags: [SignatureTag] { get }
    /// The signer, the state of the ledger that the signer saw, and the expiry.
    var context: StatementContext { get }
}

/// A decision that has a tag of its own.
public protocol StatementAction: RawRepresentable<String>, CaseIterable, Hashable, MemberValue {
    var tag: SignatureTag { get }
}

/// A statement whose tag says the decision, which the member `action` repeats.
public protocol ActionStatement: Statement {
    /// The decisions.
    associatedtype Action: StatementAction
    /// The decision.
    var action: Action { get }
}

extension ActionStatement {
    /// The tags of all actions.
    public static var tags: [SignatureTag] { Action.allCases.map(\.tag) }
    /// The tag of the action.
    public var tag: SignatureTag { action.tag }
}

/// The greatest size of a statement in bytes.
public let maximumStatementByteCount = 4_096

extension Statement {
    /// `statement.invalid`.
    public static var malformed: CredentialsError.Code { .statementInvalid }
    /// The only tag of a kind with one.
    public var tag: SignatureTag { Self.tags[0] }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        guard case .object(var members) = json else { return [:] }
        for member in StatementContext.members.members { members[member.name] = nil }
        return members
    }

    /// Parses a statement to be signed or verified.
    ///
    /// - Parameters:
    ///   - bytes: The exact bytes.
    ///   - tag: The expected tag. Another one is refused even if the statement is well formed.
    /// - Throws: ``CredentialsError/Code/unexpectedTag`` or ``CredentialsError/Code/statementInvalid``.
    public init(parsing bytes: [UInt8], expecting tag: SignatureTag) throws(CredentialsError) {
        guard Self.tags.contains(tag) else { throw CredentialsError(.unexpectedTag) }
        guard bytes.count <= maximumStatementByteCount else { throw CredentialsError(.statementInvalid) }
        try self.init(exactly: bytes, tag)
    }

    /// Verifies a signature by the key that the statement names as its signer.
    ///
    /// It does not check that key's authority, which depends on the event that the context names.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid``.
    public func verify(_ signature: Signature) throws(CredentialsError) {
        try context.signer.verify(signature, over: bytes)
    }

    /// Verifies evidence by the key that the statement names as its signer.
    ///
    /// It judges neither that key's authority nor its kind, see ``DeviceEvidence/check(_:origins:)``.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` or ``CredentialsError/Code/evidenceInvalid``.
    public func verify(_ evidence: DeviceEvidence) throws(CredentialsError) {
        try evidence.verify(over: bytes, by: context.signer)
    }

    /// Verifies a raw or DER signature, or a passkey's evidence, and returns the form to store.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` or ``CredentialsError/Code/evidenceInvalid``.
    public func verify(proof: [UInt8]) throws(CredentialsError) -> DeviceEvidence {
        try KeyProof.verify(proof, over: bytes, by: context.signer)
    }
}

/// The members that every statement has: signer, authority, the state of the ledger that the signer saw, and expiry.
public struct StatementContext: FlatObject, Hashable {
    /// The tenant.
    public var tenant: UUID
    /// The key that signs: an employee's device key, an app's authority key or the operator key.
    public var signer: StatementKey
    /// The hash of the event that gives the signer authority, 32 bytes.
    public var authority: [UInt8]
    /// The number of entries of the tenant's ledger that the signer saw, 0 to 2^53 − 1.
    public var ledgerSize: Int64
    /// The Merkle root of those entries, 32 bytes.
    public var ledgerRoot: [UInt8]
    /// The number of entries of the system ledger that the service saw when an app vouched, or `nil` in
    /// every other statement.
    ///
    /// The app's secrets are in the system ledger, which shares no order with the tenant's.
    public var systemSize: Int64?
    /// The last moment at which the statement may be appended.
    public var expires: Timestamp
    /// 32 random bytes.
    public var nonce: [UInt8]

    /// The members in the signed bytes.
    public static let members = MemberTable<StatementContext, Void>(
        "StatementContext", StatementContext.init,
        Member("tenant", \.tenant), Member("signer", \.signer, .key), Member("authority", \.authority, .hash),
        Member("ledgerSize", \.ledgerSize, .size), Member("ledgerRoot", \.ledgerRoot, .hash),
        Member(optional: "systemSize", \.systemSize, .size), Member("expires", \.expires),
        Member("nonce", \.nonce, .hash))

    /// The members, which ``Statement/check()`` validates.
    public init(
        tenant: UUID, signer: StatementKey, authority: [UInt8], ledgerSize: Int64, ledgerRoot: [UInt8],
        systemSize: Int64? = nil, expires: Timestamp, nonce: [UInt8]
    ) {
        (self.tenant, self.signer, self.authority) = (tenant, signer, authority)
        (self.ledgerSize, self.ledgerRoot, self.systemSize) = (ledgerSize, ledgerRoot, systemSize)
        (self.expires, self.nonce) = (expires, nonce)
    }

    /// Refuses an expired statement.
    ///
    /// - Throws: ``CredentialsError/Code/expired``.
    public func checkExpiry(at now: Timestamp) throws(CredentialsError) {
        guard now <= expires else { throw CredentialsError(.expired) }
    }

    /// Reads the expiry of a statement of any kind, without a check of the rest.
    ///
    /// - Returns: `nil` if the bytes are no tag line and JSON with an expiry.
    public static func expiry(ofStatement bytes: [UInt8]) -> Timestamp? {
        guard bytes.count <= maximumStatementByteCount, let end = bytes.firstIndex(of: 0x0A),
            let content = try? CanonicalJSON.parse(Array(bytes[(end + 1)...])),
            case .object(let members) = content, case .string(let text)? = members["expires"]
        else { return nil }
        return Timestamp(text)
    }
}

/// The key that signs a statement: an employee's device key, an app's authority key or the operator key.
public struct StatementKey: DevicePublicKey {
    /// The 65-byte X9.63 point, or the RSA modulus of a passkey, 256 bytes.
    public let bytes: [UInt8]
    /// A validated key.
    public init(validated key: CheckedKey) { bytes = key.bytes }
    /// The device key of an employee.
    public init(_ key: EmployeePublicKey) { bytes = key.bytes }
    /// The operator key.
    public init(_ key: OperatorPublicKey) { bytes = key.bytes }
    /// The authority key of an app.
    public init(_ key: AppAuthorityPublicKey) { bytes = key.bytes }
}
