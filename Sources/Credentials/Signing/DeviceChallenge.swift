public import Canonical

/// The exact bytes that a device signs in a flow, and their fields.
public protocol DeviceChallenge: Sendable, Hashable {
    /// What the bytes say.
    associatedtype Fields: ChallengeFields
    var fields: Fields { get }
    /// The exact bytes to sign.
    var bytes: [UInt8] { get }
}

/// The fields of a challenge.
public protocol ChallengeFields: SignedObject {
    /// The device key that must sign.
    var employeeKey: EmployeePublicKey { get }
    /// The last moment at which the device's signature is accepted.
    var expires: Timestamp { get }
}

extension DeviceChallenge {
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

extension ChallengeFields {
    /// `challenge.invalid`.
    public static var malformed: CredentialsError.Code { .challengeInvalid }

    init(parsing bytes: [UInt8], _ tag: SignatureTag) throws(CredentialsError) {
        guard bytes.count <= Challenge.maximumByteCount else { throw CredentialsError(.challengeInvalid) }
        try self.init(exactly: bytes, tag)
        try require((try? ValidatedPoint(employeeKey.bytes)) != nil, "employeeKey")
    }
}
