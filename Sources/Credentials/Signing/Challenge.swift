public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The exact bytes a device signs before it is told anything, and a user key signs after its copy was opened.
///
/// The bytes are the tag line `tenure/v1/challenge` and the canonical JSON (RFC 8785) of the fields. A client parses
/// them, compares every field it knows and only then signs; it never signs bytes it did not understand.
public struct Challenge: Sendable, Hashable {
    /// What a challenge is for.
    public enum Purpose: String, Sendable, Hashable, CaseIterable {
        /// Registering an employee.
        case registration
        /// Logging in.
        case login
        /// Replacing the credentials of a user.
        case change
        /// Recovering the credentials of a user.
        case recovery
    }

    /// The fields of a challenge.
    public struct Fields: Sendable, Hashable {
        /// The service that asks, as it names itself: 1 to 255 bytes of UTF-8.
        public var issuer: String
        /// What the signature will be used for.
        public var purpose: Purpose
        /// The flow this challenge belongs to.
        public var flow: UUID
        /// 32 random bytes, consumed once.
        public var nonce: [UInt8]
        /// The tenant: its id, one reserved for it, or that of a decoy.
        public var tenant: UUID
        /// The salted commitment to company and employee id.
        public var subject: Commitment
        /// The app that asked: 1 to 64 characters of A–Z a–z 0–9 `.` `_` `-`.
        public var app: String
        /// The device key that shall sign.
        public var employeeKey: EmployeePublicKey
        /// The credential, once it is known which.
        public var credential: UUID?
        /// The last moment at which the device's signature is accepted.
        public var expires: Timestamp

        /// Collects the fields; ``Challenge/init(_:)`` checks them.
        public init(
            issuer: String, purpose: Purpose, flow: UUID, nonce: [UInt8], tenant: UUID, subject: Commitment,
            app: String, employeeKey: EmployeePublicKey, credential: UUID?, expires: Timestamp
        ) {
            self.issuer = issuer
            self.purpose = purpose
            self.flow = flow
            self.nonce = nonce
            self.tenant = tenant
            self.subject = subject
            self.app = app
            self.employeeKey = employeeKey
            self.credential = credential
            self.expires = expires
        }
    }

    /// The longest life of a challenge in microseconds: 120 seconds.
    public static let maximumLifetimeMicroseconds: Int64 = 120_000_000
    /// The size above which bytes are refused unread.
    public static let maximumByteCount = 2_048

    /// The fields.
    public let fields: Fields
    /// The exact bytes to sign.
    public let bytes: [UInt8]

    /// Writes a challenge.
    ///
    /// - Throws: ``CredentialsError/Code/challengeInvalid`` with the name of the first field out of range.
    public init(_ fields: Fields) throws(CredentialsError) {
        try fields.check()
        self.fields = fields
        bytes = SignatureTag.challenge.line + fields.json.canonicalBytes()
    }

    /// Reads the exact bytes of a challenge; anything but the one form that ``init(_:)`` writes is refused.
    ///
    /// - Throws: ``CredentialsError/Code/unexpectedTag`` or ``CredentialsError/Code/challengeInvalid``.
    public init(parsing bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count <= Self.maximumByteCount else { throw CredentialsError(.challengeInvalid) }
        let content = try SignatureTag.challenge.content(of: bytes)
        fields = try Fields(json: content)
        // The parser already refuses what is not canonical; writing it again leaves nothing to a second opinion.
        guard SignatureTag.challenge.line + fields.json.canonicalBytes() == bytes else {
            throw CredentialsError(.challengeInvalid)
        }
        self.bytes = bytes
    }

    /// Reads bytes that ``init(_:)`` wrote and that were kept where no stranger writes.
    ///
    /// - Throws: ``CredentialsError/Code/unexpectedTag`` or ``CredentialsError/Code/challengeInvalid``.
    public init(kept bytes: [UInt8]) throws(CredentialsError) {
        fields = try Fields(json: try SignatureTag.challenge.content(of: bytes), isKept: true)
        self.bytes = bytes
    }

    /// Refuses a challenge whose expiry has passed, or lies more than 120 seconds ahead of `now`.
    ///
    /// - Throws: ``CredentialsError/Code/expired``.
    public func checkExpiry(at now: Timestamp) throws(CredentialsError) {
        let remaining = fields.expires.microseconds.subtractingReportingOverflow(now.microseconds)
        guard !remaining.overflow, (0...Self.maximumLifetimeMicroseconds).contains(remaining.partialValue) else {
            throw CredentialsError(.expired)
        }
    }
}
