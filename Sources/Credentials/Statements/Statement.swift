public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A decision to be signed by somebody with authority: a tag line and canonical JSON of random ids, keys, hashes and
/// codes.
///
/// A statement contains no personal text, so that every signature stays verifiable after an erasure.
///
/// ```swift
/// let statement = try KeyStatement(parsing: bytes, expecting: .keyAuthorization)
/// try statement.context.checkExpiry(at: .now())
/// let signature = try statement.verify(proof: proof)     // by the key that the statement names
/// ```
public protocol Statement: Sendable, Hashable {
    /// The tags of this kind of statement, one per meaning.
    static var tags: [SignatureTag] { get }
    /// The tag of this statement.
    var tag: SignatureTag { get }
    /// The signer, the state of the ledger that the signer saw, and the expiry.
    var context: StatementContext { get }
    /// The members beside those of the context.
    var members: [String: JSONValue] { get }
    /// Reads the members beside those of the context. The caller refuses the remaining ones.
    init(tag: SignatureTag, context: StatementContext, members reader: inout ObjectReader) throws
    /// Checks the members.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid`` with the name of the first member out of range.
    func check() throws(CredentialsError)
}

/// The greatest size of a statement in bytes.
public let maximumStatementByteCount = 4_096

extension Statement {
    /// The exact bytes to sign: tag, newline, canonical JSON (RFC 8785).
    public var bytes: [UInt8] {
        let all = members.merging(context.members) { own, _ in own }
        return tag.line + JSONValue.object(all).canonicalBytes()
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
        let content = try tag.content(of: bytes)
        do {
            var reader = try ObjectReader(try CanonicalJSON.parse(content))
            let context = try StatementContext(members: &reader)
            try self.init(tag: tag, context: context, members: &reader)
            try reader.finish()
        } catch let error as CredentialsError where error.code == .statementInvalid {
            throw error
        } catch {
            throw CredentialsError(.statementInvalid)
        }
        try check()
        // The parsed members must encode to the same bytes, so that the fields shown are the fields signed.
        guard self.bytes == bytes else { throw CredentialsError(.statementInvalid) }
    }

    /// Verifies a signature by the key that the statement names as its signer.
    ///
    /// It does not check that key's authority, which depends on the event that the context names.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid``.
    public func verify(_ signature: Signature) throws(CredentialsError) {
        try context.signer.verify(signature, over: bytes)
    }

    /// Verifies a raw or DER signature and returns the raw form to store.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid``.
    public func verify(proof: [UInt8]) throws(CredentialsError) -> Signature {
        try KeyProof.verify(proof, over: bytes, by: context.signer)
    }
}

/// The members that every statement has: signer, authority, the state of the ledger that the signer saw, and expiry.
public struct StatementContext: Sendable, Hashable {
    /// The tenant (`tenant`).
    public var tenant: UUID
    /// The key that signs (`signer`): an employee's device key, an app's authority key or the operator key.
    public var signer: StatementKey
    /// The hash of the event that gives the signer authority, 32 bytes (`authority`).
    public var authority: [UInt8]
    /// The number of entries of the tenant's ledger that the signer saw (`ledgerSize`), 0 to 2^53 − 1.
    public var ledgerSize: Int64
    /// The Merkle root of those entries, 32 bytes (`ledgerRoot`).
    public var ledgerRoot: [UInt8]
    /// The number of entries of the system ledger that the service saw when an app vouched (`systemSize`), or `nil` in
    /// every other statement.
    ///
    /// The app's secrets are in the system ledger, which shares no order with the tenant's.
    public var systemSize: Int64?
    /// The last moment at which the statement may be appended (`expires`).
    public var expires: Timestamp
    /// 32 random bytes (`nonce`).
    public var nonce: [UInt8]

    /// The members, which ``Statement/check()`` validates.
    public init(
        tenant: UUID, signer: StatementKey, authority: [UInt8], ledgerSize: Int64, ledgerRoot: [UInt8],
        systemSize: Int64? = nil, expires: Timestamp, nonce: [UInt8]
    ) {
        self.tenant = tenant
        self.signer = signer
        self.authority = authority
        self.ledgerSize = ledgerSize
        self.ledgerRoot = ledgerRoot
        self.systemSize = systemSize
        self.expires = expires
        self.nonce = nonce
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

    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "tenant": .uuid(tenant), "signer": .bytes(signer.bytes), "authority": .bytes(authority),
            "ledgerSize": .integer(ledgerSize), "ledgerRoot": .bytes(ledgerRoot), "expires": .timestamp(expires),
            "nonce": .bytes(nonce),
        ]
        if let systemSize { members["systemSize"] = .integer(systemSize) }
        return members
    }

    init(members reader: inout ObjectReader) throws {
        self.init(
            tenant: try reader.uuid("tenant"),
            signer: try StatementKey(bytes: try reader.bytes("signer", count: 65)),
            authority: try reader.bytes("authority", count: 32), ledgerSize: try reader.integer("ledgerSize"),
            ledgerRoot: try reader.bytes("ledgerRoot", count: 32),
            systemSize: try reader.optionalInteger("systemSize"), expires: try reader.timestamp("expires"),
            nonce: try reader.bytes("nonce", count: 32))
    }

    func check() throws(CredentialsError) {
        try StatementCheck.hash(authority, "authority")
        try StatementCheck.hash(ledgerRoot, "ledgerRoot")
        try StatementCheck.hash(nonce, "nonce")
        guard (0...JSONValue.integerRange.upperBound).contains(ledgerSize) else {
            throw CredentialsError(.statementInvalid, field: "ledgerSize")
        }
        guard systemSize.map({ (0...JSONValue.integerRange.upperBound).contains($0) }) ?? true else {
            throw CredentialsError(.statementInvalid, field: "systemSize")
        }
    }
}

/// The key that signs a statement: an employee's device key, an app's authority key or the operator key.
public struct StatementKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// A key at a validated point.
    public init(validated point: ValidatedPoint) { bytes = point.bytes }
    /// The device key of an employee.
    public init(_ key: EmployeePublicKey) { bytes = key.bytes }
    /// The operator key.
    public init(_ key: OperatorPublicKey) { bytes = key.bytes }
    /// The authority key of an app.
    public init(_ key: AppAuthorityPublicKey) { bytes = key.bytes }
}

enum StatementCheck {
    static func hash(_ bytes: [UInt8], _ name: String) throws(CredentialsError) {
        guard bytes.count == 32 else { throw CredentialsError(.statementInvalid, field: name) }
    }

    /// Checks 1 to 32 sorted fingerprints, each of 64 lower-case hexadecimal digits.
    static func fingerprints(_ texts: [String], _ name: String) throws(CredentialsError) {
        guard (1...32).contains(texts.count), zip(texts, texts.dropFirst()).allSatisfy({ $0 < $1 }),
            texts.allSatisfy({ Hex.decode($0)?.count == 32 && $0 == $0.lowercased() })
        else { throw CredentialsError(.statementInvalid, field: name) }
    }

    static func code(_ text: String, _ name: String) throws(CredentialsError) {
        guard text.isCodeName else { throw CredentialsError(.statementInvalid, field: name) }
    }
}
