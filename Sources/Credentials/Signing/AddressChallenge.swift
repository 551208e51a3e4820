public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The exact bytes that a device signs first in a log-in by an address, when nobody knows the account yet.
///
/// The bytes are the tag line `tenure/v2/challenge` and the canonical JSON (RFC 8785) of the fields. The purpose is
/// always `login-address`, and no tenant is named. It opens nothing and stands in no ledger: after the proof a
/// ``Challenge`` names the account that the person picks, and device and user key sign that one too.
public struct AddressChallenge: DeviceChallenge {
    /// The purpose as the bytes name it. Another purpose of the tag has fields of its own.
    public enum Purpose: String, Hashable, CaseIterable, MemberValue {
        /// Logging in by an address.
        case loginAddress = "login-address"
    }

    /// The fields of a challenge.
    public struct Fields: DeviceChallengeFields {
        /// The name of the service: 1 to 255 bytes of UTF-8.
        public var issuer: String
        /// The only purpose.
        public let purpose = Purpose.loginAddress
        /// The flow this challenge belongs to.
        public var flow: UUID
        /// 32 random bytes, used once.
        public var nonce: [UInt8]
        /// The salted commitment to the address.
        public var subject: Commitment
        /// The app that requested it: 1 to 64 characters of A–Z a–z 0–9 `.` `_` `-`.
        public var app: String
        /// The device key that must sign.
        public var employeeKey: EmployeePublicKey
        /// The credential of whoever holds the address, or of its decoy.
        public var credential: UUID
        /// The last moment at which the device's signature is accepted.
        public var expires: Timestamp

        /// The members in the signed bytes.
        public static let members = MemberTable<Fields, Void>(
            "AddressChallenge",
            {
                Fields(
                    issuer: $0, flow: $2, nonce: $3, subject: $4, app: $5, employeeKey: $6, credential: $7, expires: $8)
            },
            Member("issuer", \.issuer, .issuer), Member("purpose", \.purpose), Member("flow", \.flow),
            Member("nonce", \.nonce, .hash), Member("subject", \.subject, .commitment),
            Member("app", \.app, .code), Member("employeeKey", \.employeeKey, .keptKey),
            Member("credential", \.credential), Member("expires", \.expires))

        /// `tenure/v2/challenge`.
        public var tag: SignatureTag { .addressChallenge }

        /// The fields of a challenge. ``AddressChallenge/init(_:)`` checks them.
        public init(
            issuer: String, flow: UUID, nonce: [UInt8], subject: Commitment, app: String,
            employeeKey: EmployeePublicKey, credential: UUID, expires: Timestamp
        ) {
            (self.issuer, self.flow, self.nonce, self.subject) = (issuer, flow, nonce, subject)
            (self.app, self.employeeKey) = (app, employeeKey)
            (self.credential, self.expires) = (credential, expires)
        }
    }

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
        fields = try Fields(parsing: bytes, .addressChallenge)
        self.bytes = bytes
    }
}
