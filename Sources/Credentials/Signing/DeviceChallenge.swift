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
        try fields.expires.requireWithinChallengeLifetime(of: now)
    }

    /// Verifies the device's signature, raw or DER, or a passkey's evidence, by the key that the challenge names, and
    /// returns the form to store.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` or ``CredentialsError/Code/evidenceInvalid``.
    public func verifyKeyProof(_ proof: [UInt8]) throws(CredentialsError) -> DeviceEvidence {
        try DeviceEvidence.verified(proof, over: bytes, by: fields.employeeKey)
    }
}

extension Timestamp {
    /// Refuses the expiry of a challenge if it has passed, or lies more than 120 seconds ahead of `now`.
    func requireWithinChallengeLifetime(of now: Timestamp) throws(CredentialsError) {
        let remaining = microseconds.subtractingReportingOverflow(now.microseconds)
        guard !remaining.overflow, (0...Challenge.maximumLifetimeMicroseconds).contains(remaining.partialValue) else {
            throw CredentialsError(.expired)
        }
    }
}

extension ChallengeFields {
    /// `challenge.invalid`.
    public static var malformed: CredentialsError.Code { .challengeInvalid }

    init(parsing bytes: [UInt8], _ tag: SignatureTag) throws(CredentialsError) {
        guard bytes.count <= Challenge.maximumByteCount else { throw CredentialsError(.challengeInvalid) }
        try self.init(exactly: bytes, tag)
        try require((try? EmployeePublicKey(bytes: employeeKey.bytes)) != nil, "employeeKey")
    }
}
