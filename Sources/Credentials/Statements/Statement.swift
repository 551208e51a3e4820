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
public protocol Statement: FlatObject, Hashable where Context == Void {
    /// The tags of this kind of statement, one per meaning.
    static var tags: [SignatureTag] { get }
    /// The tag of this statement; without an implementation the only one of its kind.
    var tag: SignatureTag { get }
    /// The signer, the state of the ledger that the signer saw, and the expiry.
    var context: StatementContext { get }
    /// Checks what one member asks of another, after the table has checked each alone.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid`` with the name of the first member that does not fit.
    func checkTogether() throws(CredentialsError)
}

/// A decision that has a tag of its own.
public protocol StatementAction: RawRepresentable<String>, CaseIterable, Hashable, MemberValue {
    /// The tag of statements with this action.
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
    /// The only tag of a kind with one.
    public var tag: SignatureTag { Self.tags[0] }

    /// The exact bytes to sign: tag, newline, canonical JSON (RFC 8785).
    public var bytes: [UInt8] { tag.line + json.canonicalBytes() }

    /// The members beside those of the context.
    public var members: [String: JSONValue] {
        guard case .object(var members) = json else { return [:] }
        for member in StatementContext.members.members { members[member.name] = nil }
        return members
    }

    private var json: JSONValue {
        // A statement is written to be compared before it is checked, so its kinds write every value.
        guard let json = try? Self.members.write(self) else {
            preconditionFailure("\(Self.members.name) has a member whose kind does not write every value")
        }
        return json
    }

    /// Checks that the statement can be signed: it can be read as it is written.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid`` with the name of the first member out of range.
    public func check() throws(CredentialsError) { _ = try Self(json, expecting: tag) }

    /// No member asks anything of another.
    public func checkTogether() throws(CredentialsError) {}

    /// Refuses the statement because of a member, unless a condition is true.
    func require(_ condition: Bool, _ field: String) throws(CredentialsError) {
        guard condition else { throw CredentialsError(.statementInvalid, field: field) }
    }

    private init(_ json: JSONValue, expecting tag: SignatureTag) throws(CredentialsError) {
        do throws(JSONError) {
            self = try Self.members.read(json)
        } catch {
            // The name of an unknown member is not ours to repeat.
            let name = error.code == .unknownMember ? nil : error.pointer.split(separator: "/").first
            throw CredentialsError(.statementInvalid, field: name.map(String.init))
        }
        try require(self.tag == tag, "action")
        try checkTogether()
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
        guard let json = try? CanonicalJSON.parse(content) else { throw CredentialsError(.statementInvalid) }
        try self.init(json, expecting: tag)
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

/// The kinds of statements write every value, and refuse when they read.
extension MemberKind<[UInt8]> {
    /// 32 bytes.
    static var hash: MemberKind {
        .bytes(32...32, "32 bytes are expected", parse: { $0.count == 32 ? $0 : nil }, bytes: { $0 })
    }
}

extension MemberKind<Int64> {
    /// The number of entries of a ledger.
    static var size: MemberKind { .number(0...JSONValue.integerRange.upperBound) }
}

extension MemberKind<String> {
    /// 1 to 64 characters A–Z a–z 0–9 `.` `_` `-`.
    static var code: MemberKind {
        .text(.string(format: "code"), "a code is expected", parse: { $0.isCodeName ? $0 : nil }, text: { $0 })
    }
}

extension MemberKind where Value: SigningPublicKey {
    static var key: MemberKind {
        .bytes(65...65, "a public key is expected", parse: { try? Value(bytes: $0) }, bytes: \.bytes)
    }
}

extension MemberKind<[String]> {
    /// Texts in ascending order without repetition.
    static func sorted(
        _ count: ClosedRange<Int>, _ reason: String, _ isValid: @escaping @Sendable (String) -> Bool
    ) -> MemberKind {
        MemberKind(.array(.string(format: "code"), count: count)) { (json, place) throws(JSONError) in
            let texts = try json.strings(at: place)
            guard count.contains(texts.count), zip(texts, texts.dropFirst()).allSatisfy({ $0 < $1 }),
                texts.allSatisfy(isValid)
            else { throw place.invalid(reason) }
            return texts
        } write: { (texts, _) in
            .array(texts.map(JSONValue.string))
        }
    }

    /// 1 to 32 fingerprints, each of 64 lower-case hexadecimal digits.
    static var fingerprints: MemberKind {
        sorted(1...32, "sorted fingerprints are expected") { Hex.decode($0)?.count == 32 && $0 == $0.lowercased() }
    }
}
