public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The exact bytes that a passkey signs in a log-in by itself, when nobody knows account or key yet.
///
/// The bytes are the tag line `tenure/v2/challenge` and the canonical JSON (RFC 8785) of the fields. The purpose is
/// always `login-passkey`. Credential id and user handle of the answer name the account.
public struct PasskeyChallenge: Sendable, Hashable {
    /// The purpose as the bytes name it. Another purpose of the tag has fields of its own.
    public enum Purpose: String, Hashable, CaseIterable, MemberValue {
        /// Logging in by a passkey.
        case loginPasskey = "login-passkey"
    }

    /// The fields of a challenge.
    public struct Fields: SignedObject {
        /// The name of the service: 1 to 255 bytes of UTF-8.
        public var issuer: String
        /// The only purpose.
        public let purpose = Purpose.loginPasskey
        /// The host name under which keys are made.
        public var rpID: String
        /// The flow this challenge belongs to.
        public var flow: UUID
        /// 32 random bytes, used once.
        public var nonce: [UInt8]
        /// The app that requested it: 1 to 64 characters of A–Z a–z 0–9 `.` `_` `-`.
        public var app: String
        /// The last moment at which an answer is accepted.
        public var expires: Timestamp

        /// The members in the signed bytes.
        public static let members = MemberTable<Fields, Void>(
            "PasskeyChallenge",
            { Fields(issuer: $0, rpID: $2, flow: $3, nonce: $4, app: $5, expires: $6) },
            Member("issuer", \.issuer, .issuer), Member("purpose", \.purpose), Member("rpId", \.rpID, .rpID),
            Member("flow", \.flow), Member("nonce", \.nonce, .hash), Member("app", \.app, .code),
            Member("expires", \.expires))

        /// `challenge.invalid`.
        public static var malformed: CredentialsError.Code { .challengeInvalid }
        /// `tenure/v2/challenge`.
        public var tag: SignatureTag { .addressChallenge }

        /// The fields of a challenge. ``PasskeyChallenge/init(_:)`` checks them.
        public init(issuer: String, rpID: String, flow: UUID, nonce: [UInt8], app: String, expires: Timestamp) {
            (self.issuer, self.rpID, self.flow) = (issuer, rpID, flow)
            (self.nonce, self.app, self.expires) = (nonce, app, expires)
        }
    }

    /// The fields.
    public let fields: Fields
    /// The exact bytes, whose SHA-256 is the browser's challenge.
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

    /// Refuses a challenge whose expiry has passed, or lies more than 120 seconds ahead of `now`.
    ///
    /// - Throws: ``CredentialsError/Code/expired``.
    public func checkExpiry(at now: Timestamp) throws(CredentialsError) {
        try fields.expires.requireWithinChallengeLifetime(of: now)
    }
}
