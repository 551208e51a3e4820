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
public struct AddressChallenge: Sendable, Hashable {
    /// The purpose as the bytes name it.
    public static let purpose = "login-address"

    /// The fields of a challenge.
    public struct Fields: Sendable, Hashable {
        /// The name of the service: 1 to 255 bytes of UTF-8.
        public var issuer: String
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

        /// The fields of a challenge. ``AddressChallenge/init(_:)`` checks them.
        public init(
            issuer: String, flow: UUID, nonce: [UInt8], subject: Commitment, app: String,
            employeeKey: EmployeePublicKey, credential: UUID, expires: Timestamp
        ) {
            self.issuer = issuer
            self.flow = flow
            self.nonce = nonce
            self.subject = subject
            self.app = app
            self.employeeKey = employeeKey
            self.credential = credential
            self.expires = expires
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
        bytes = SignatureTag.addressChallenge.line + fields.canonicalBytes
    }

    /// Parses the exact bytes of a challenge. It refuses anything that ``init(_:)`` does not write.
    ///
    /// - Throws: ``CredentialsError/Code/unexpectedTag`` or ``CredentialsError/Code/challengeInvalid``.
    public init(parsing bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count <= Challenge.maximumByteCount else { throw CredentialsError(.challengeInvalid) }
        fields = try Fields(json: try SignatureTag.addressChallenge.content(of: bytes))
        // The parser already refuses what is not canonical. Encoding the fields again makes certain.
        guard SignatureTag.addressChallenge.line + fields.canonicalBytes == bytes else {
            throw CredentialsError(.challengeInvalid)
        }
        self.bytes = bytes
    }

    /// Refuses a challenge whose expiry has passed, or lies more than 120 seconds ahead of `now`.
    ///
    /// - Throws: ``CredentialsError/Code/expired``.
    public func checkExpiry(at now: Timestamp) throws(CredentialsError) {
        let remaining = fields.expires.microseconds.subtractingReportingOverflow(now.microseconds)
        guard !remaining.overflow, (0...Challenge.maximumLifetimeMicroseconds).contains(remaining.partialValue) else {
            throw CredentialsError(.expired)
        }
    }

    /// Verifies the device's signature, raw or DER, by the key the challenge names, and returns the raw form to store.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid``.
    public func verifyKeyProof(_ proof: [UInt8]) throws(CredentialsError) -> Signature {
        try KeyProof.verify(proof, over: bytes, by: fields.employeeKey)
    }
}

extension AddressChallenge.Fields {
    /// The canonical JSON of the fields.
    var canonicalBytes: [UInt8] {
        var object = CanonicalObject(reservingCapacity: 640)
        object.add("app", app)
        object.add("credential", credential)
        object.add("employeeKey", Base64URL.encode(employeeKey.bytes))
        object.add("expires", expires)
        object.add("flow", flow)
        object.add("issuer", issuer)
        object.add("nonce", Base64URL.encode(nonce))
        object.add("purpose", AddressChallenge.purpose)
        object.add("subject", Base64URL.encode(subject.bytes))
        return object.finish()
    }

    init(json bytes: [UInt8]) throws(CredentialsError) {
        do {
            var reader = try ObjectReader(try CanonicalJSON.parse(bytes))
            guard try reader.string("purpose") == AddressChallenge.purpose else {
                throw CredentialsError(.challengeInvalid, field: "purpose")
            }
            self.init(
                issuer: try reader.string("issuer"), flow: try reader.uuid("flow"), nonce: try reader.bytes("nonce"),
                subject: try Commitment(bytes: try reader.bytes("subject")), app: try reader.string("app"),
                employeeKey: try EmployeePublicKey(bytes: try reader.bytes("employeeKey")),
                credential: try reader.uuid("credential"), expires: try reader.timestamp("expires"))
            try reader.finish()
        } catch let error as CredentialsError where error.code == .challengeInvalid {
            throw error
        } catch {
            throw CredentialsError(.challengeInvalid)
        }
        try check()
    }

    func check() throws(CredentialsError) {
        guard (1...255).contains(issuer.utf8.count) else {
            throw CredentialsError(.challengeInvalid, field: "issuer")
        }
        guard nonce.count == 32 else { throw CredentialsError(.challengeInvalid, field: "nonce") }
        guard app.isCodeName else { throw CredentialsError(.challengeInvalid, field: "app") }
    }
}
