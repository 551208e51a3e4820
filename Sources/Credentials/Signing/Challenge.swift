public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The exact bytes that a device signs first, and that a user key signs after its copy is opened.
///
/// The bytes are the tag line `tenure/v1/challenge` and the canonical JSON (RFC 8785) of the fields. A client parses
/// them and compares every field that it knows before it signs. It never signs bytes that it did not understand.
///
/// ```swift
/// let challenge = try Challenge(parsing: bytes)
/// try challenge.require(expectation)                     // a `ChallengeExpectation`
/// let signature = try key.sign(challenge)                // an `EmployeeKey`
/// ```
public struct Challenge: DeviceChallenge {
    /// The purpose of a challenge.
    public enum Purpose: String, Hashable, CaseIterable, MemberValue {
        /// Registering an employee.
        case registration
        /// Logging in.
        case login
        /// Replacing the credentials of a user.
        case change
        /// Recovering the credentials of a user.
        case recovery
        /// Returning as the security admin with a new device key.
        case `return`
        /// Opening the session of a flow that waited for the authorization of its device key.
        case wait
    }

    /// The fields of a challenge.
    public struct Fields: DeviceChallengeFields {
        /// The name of the service: 1 to 255 bytes of UTF-8.
        public var issuer: String
        /// The purpose of the signature.
        public var purpose: Purpose
        /// The flow this challenge belongs to.
        public var flow: UUID
        /// 32 random bytes, used once.
        public var nonce: [UInt8]
        /// The tenant's id: real, reserved, or that of a decoy.
        public var tenant: UUID
        /// The salted commitment to tenant name and employee id.
        public var subject: Commitment
        /// The app that requested it: 1 to 64 characters of A–Z a–z 0–9 `.` `_` `-`.
        public var app: String
        /// The device key that must sign.
        public var employeeKey: EmployeePublicKey
        /// The credential, once it is known.
        public var credential: UUID?
        /// The last moment at which the device's signature is accepted.
        public var expires: Timestamp

        /// The members in the signed bytes.
        public static let members = MemberTable<Fields, Void>(
            "Challenge", Fields.init,
            Member("issuer", \.issuer, .issuer), Member("purpose", \.purpose), Member("flow", \.flow),
            Member("nonce", \.nonce, .hash), Member("tenant", \.tenant), Member("subject", \.subject, .commitment),
            Member("app", \.app, .code), Member("employeeKey", \.employeeKey, .keptKey),
            Member(optional: "credential", \.credential), Member("expires", \.expires))

        /// `tenure/v1/challenge`.
        public var tag: SignatureTag { .challenge }

        /// The fields of a challenge. ``Challenge/init(_:)`` checks them.
        public init(
            issuer: String, purpose: Purpose, flow: UUID, nonce: [UInt8], tenant: UUID, subject: Commitment,
            app: String, employeeKey: EmployeePublicKey, credential: UUID?, expires: Timestamp
        ) {
            (self.issuer, self.purpose, self.flow, self.nonce) = (issuer, purpose, flow, nonce)
            (self.tenant, self.subject, self.app) = (tenant, subject, app)
            (self.employeeKey, self.credential, self.expires) = (employeeKey, credential, expires)
        }
    }

    /// The longest life of a challenge in microseconds: 120 seconds.
    public static let maximumLifetimeMicroseconds: Int64 = 120_000_000
    /// The size above which bytes are refused without parsing.
    public static let maximumByteCount = 2_048

    /// The fields.
    public let fields: Fields
    /// The exact bytes to sign.
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
        fields = try Fields(parsing: bytes, .challenge)
        self.bytes = bytes
    }

    /// Parses bytes that ``init(_:)`` wrote, from trusted storage.
    ///
    /// - Throws: ``CredentialsError/Code/unexpectedTag`` or ``CredentialsError/Code/challengeInvalid``.
    public init(kept bytes: [UInt8]) throws(CredentialsError) {
        fields = try Fields(kept: bytes, .challenge)
        self.bytes = bytes
    }
}

extension String {
    /// Whether this is 1 to 64 characters of A–Z a–z 0–9 `.` `_` `-`, and so cannot contain personal text.
    var isCodeName: Bool {
        (1...64).contains(utf8.count)
            && utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2e, 0x5f, 0x2d: true
                default: false
                }
            }
    }
}
