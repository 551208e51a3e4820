public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The exact bytes whose SHA-256 a passkey signs in a log-in by it alone, when nobody knows the account yet, or when the
/// owner of an account adds it.
///
/// The bytes are the tag line `tenure/v2/challenge` and the canonical JSON (RFC 8785) of the fields. With the purpose
/// `login-passkey` neither an account nor a key is named: the answer's credential id and user handle name them. With
/// `add-passkey` the account is named, so that no answer counts for two. With `join-company` the account of the passkey
/// and the new account are named, each with its tenant. An accepted answer stands in the ledger of the tenant,
/// that of `join-company` in the user's directory, and takes the nonce.
public struct PasskeyChallenge: FlowChallenge {
    /// The purpose as the bytes name it. Another purpose of the tag has fields of its own.
    public enum Purpose: String, Hashable, CaseIterable, MemberValue {
        /// Logging in by a passkey.
        case loginPasskey = "login-passkey"
        /// Adding a passkey to one's account.
        case addPasskey = "add-passkey"
        /// Registering in another company, which a passkey of one's account signs for.
        case joinCompany = "join-company"
    }

    /// The fields of a challenge.
    public struct Fields: ChallengeFields {
        /// The name of the service: 1 to 255 bytes of UTF-8.
        public var issuer: String
        /// Adding a passkey, if one account is named; joining, if two are.
        public var purpose: Purpose {
            joinedEmployee != nil ? .joinCompany : employee == nil ? .loginPasskey : .addPasskey
        }
        /// The relying party's id, a host name.
        public var rpID: String
        /// The flow this challenge belongs to.
        public var flow: UUID
        /// 32 random bytes, used once.
        public var nonce: [UInt8]
        /// The app that requested it: 1 to 64 characters of A–Z a–z 0–9 `.` `_` `-`.
        public var app: String
        /// The last moment at which the passkey's answer is accepted.
        public var expires: Timestamp
        /// The tenant of the account that the passkey is added to, or is of.
        public var tenant: UUID?
        /// The account that the passkey is added to, or is of.
        public var employee: UUID?
        /// The tenant that the owner of the passkey joins.
        public var joinedTenant: UUID?
        /// The new account in it.
        public var joinedEmployee: UUID?
        /// The SHA-256 of the new account's device key, 32 bytes.
        public var joinedKey: [UInt8]?

        /// The members in the signed bytes.
        public static let members = MemberTable<Fields, Void>(
            "PasskeyChallenge",
            {
                Fields(
                    issuer: $0, rpID: $2, flow: $3, nonce: $4, app: $5, expires: $6, tenant: $7, employee: $8,
                    joinedTenant: $9, joinedEmployee: $10, joinedKey: $11)
            },
            Member("issuer", \.issuer, .issuer), Member("purpose", \.purpose), Member("rpId", \.rpID, .rpID),
            Member("flow", \.flow), Member("nonce", \.nonce, .hash), Member("app", \.app, .code),
            Member("expires", \.expires), Member(optional: "tenant", \.tenant),
            Member(optional: "employee", \.employee), Member(optional: "joinedTenant", \.joinedTenant),
            Member(optional: "joinedEmployee", \.joinedEmployee), Member(optional: "joinedKey", \.joinedKey, .hash))

        /// `tenure/v2/challenge`.
        public var tag: SignatureTag { .addressChallenge }

        /// The fields of a challenge. ``PasskeyChallenge/init(_:)`` checks them.
        public init(
            issuer: String, rpID: String, flow: UUID, nonce: [UInt8], app: String, expires: Timestamp,
            tenant: UUID? = nil, employee: UUID? = nil, joinedTenant: UUID? = nil, joinedEmployee: UUID? = nil,
            joinedKey: [UInt8]? = nil
        ) {
            (self.issuer, self.rpID, self.flow, self.nonce) = (issuer, rpID, flow, nonce)
            (self.app, self.expires, self.tenant, self.employee) = (app, expires, tenant, employee)
            (self.joinedTenant, self.joinedEmployee, self.joinedKey) = (joinedTenant, joinedEmployee, joinedKey)
        }

        /// A tenant and an account are named together, and a new account with its key and the account that joins.
        public func checkTogether() throws(CredentialsError) {
            try require((tenant == nil) == (employee == nil), "tenant")
            let joined = [joinedTenant == nil, joinedEmployee == nil, joinedKey == nil, employee == nil]
            try require(joined.prefix(3).allSatisfy { $0 } || joined.allSatisfy { !$0 }, "joinedTenant")
            try require(joinedTenant == nil || joinedTenant != tenant, "joinedTenant")
        }
    }

    /// The fields.
    public let fields: Fields
    /// The exact bytes.
    public let bytes: [UInt8]

    /// A challenge with these fields.
    ///
    /// - Throws: ``CredentialsError/Code/challengeInvalid`` with the name of the first field out of range.
    public init(_ fields: Fields) throws(CredentialsError) {
        try fields.check()
        self.fields = fields
        bytes = fields.bytes
    }

    /// Parses the exact bytes of a challenge. It refuses anything that ``init(_:)`` does not write.
    ///
    /// - Throws: ``CredentialsError/Code/unexpectedTag`` or ``CredentialsError/Code/challengeInvalid``.
    public init(parsing bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count <= Challenge.maximumByteCount else { throw CredentialsError(.challengeInvalid) }
        fields = try Fields(exactly: bytes, .addressChallenge)
        self.bytes = bytes
    }
}

extension MemberKind<String> {
    /// A host name that may be the id of a relying party: 1 to 253 characters a–z 0–9 `.` `-`, and no IP address.
    static var rpID: MemberKind {
        .text(
            .string(format: "hostname"), "a host name in lower case is expected",
            parse: { $0.isRelyingPartyID ? $0 : nil }, text: { $0 })
    }
}

extension String {
    /// Whether this is a host name in lower case whose last label has a letter, so that it is no IP address.
    public var isRelyingPartyID: Bool {
        let labels = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...253).contains(utf8.count), let last = labels.last else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != 0x2d && label.last != 0x2d
                && label.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
        } && last.contains { (0x61...0x7a).contains($0) }
    }
}
