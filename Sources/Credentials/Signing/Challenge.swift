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
public struct Challenge: Sendable, Hashable {
    /// The purpose of a challenge.
    public enum Purpose: String, Sendable, Hashable, CaseIterable {
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
    public struct Fields: Sendable, Hashable {
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

        /// The fields of a challenge. ``Challenge/init(_:)`` checks them.
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
        bytes = SignatureTag.challenge.line + fields.canonicalBytes
    }

    /// Parses the exact bytes of a challenge. It refuses anything that ``init(_:)`` does not write.
    ///
    /// - Throws: ``CredentialsError/Code/unexpectedTag`` or ``CredentialsError/Code/challengeInvalid``.
    public init(parsing bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count <= Self.maximumByteCount else { throw CredentialsError(.challengeInvalid) }
        let content = try SignatureTag.challenge.content(of: bytes)
        fields = try Fields(json: content)
        // The parser already refuses what is not canonical. Encoding the fields again makes certain.
        guard SignatureTag.challenge.line + fields.canonicalBytes == bytes else {
            throw CredentialsError(.challengeInvalid)
        }
        self.bytes = bytes
    }

    /// Parses bytes that ``init(_:)`` wrote, from trusted storage.
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

extension Challenge.Fields {
    /// The canonical JSON of the fields.
    var canonicalBytes: [UInt8] {
        var object = CanonicalObject(reservingCapacity: 640)
        object.add("app", app)
        if let credential { object.add("credential", credential) }
        object.add("employeeKey", Base64URL.encode(employeeKey.bytes))
        object.add("expires", expires)
        object.add("flow", flow)
        object.add("issuer", issuer)
        object.add("nonce", Base64URL.encode(nonce))
        object.add("purpose", purpose.rawValue)
        object.add("subject", Base64URL.encode(subject.bytes))
        object.add("tenant", tenant)
        return object.finish()
    }

    init(json bytes: [UInt8], isKept: Bool = false) throws(CredentialsError) {
        do {
            var reader = try ObjectReader(try CanonicalJSON.parse(bytes))
            let purposeName = try reader.string("purpose")
            guard let purpose = Challenge.Purpose(rawValue: purposeName) else {
                throw CredentialsError(.challengeInvalid, field: "purpose")
            }
            let key = try reader.bytes("employeeKey")
            self.init(
                issuer: try reader.string("issuer"), purpose: purpose, flow: try reader.uuid("flow"),
                nonce: try reader.bytes("nonce"), tenant: try reader.uuid("tenant"),
                subject: try Commitment(bytes: try reader.bytes("subject")), app: try reader.string("app"),
                employeeKey: isKept ? try EmployeePublicKey(kept: key) : try EmployeePublicKey(bytes: key),
                credential: try reader.optionalUUID("credential"), expires: try reader.timestamp("expires"))
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
