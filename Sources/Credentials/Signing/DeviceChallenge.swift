public import Canonical

/// The exact bytes that are signed in a flow, and their fields.
public protocol FlowChallenge: Sendable, Hashable {
    /// What the bytes say.
    associatedtype Fields: ChallengeFields
    var fields: Fields { get }
    /// The exact bytes to sign.
    var bytes: [UInt8] { get }
}

/// A challenge that names the device key that must sign it.
public protocol DeviceChallenge: FlowChallenge where Fields: DeviceChallengeFields {}

/// The fields of a challenge.
public protocol ChallengeFields: SignedObject {
    /// The last moment at which the device's signature is accepted.
    var expires: Timestamp { get }
}

/// The fields of a challenge that names a device key.
public protocol DeviceChallengeFields: ChallengeFields {
    /// The device key that must sign.
    var employeeKey: EmployeePublicKey { get }
}

extension FlowChallenge {
    /// Refuses a challenge whose expiry has passed, or lies more than 120 seconds ahead of `now`.
    ///
    /// - Throws: ``CredentialsError/Code/expired``.
    public func checkExpiry(at now: Timestamp) throws(CredentialsError) {
        let remaining = fields.expires.microseconds.subtractingReportingOverflow(now.microseconds)
        guard !remaining.overflow, (0...Challenge.maximumLifetimeMicroseconds).contains(remaining.partialValue) else {
            throw CredentialsError(.expired)
        }
    }

}

extension DeviceChallenge {
    /// Verifies the device's proof by the key that the challenge names, and returns the form to store.
    ///
    /// - Parameter proof: A signature, raw or DER, or the bytes of a passkey's evidence.
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` or ``CredentialsError/Code/evidenceInvalid``.
    public func verifyKeyProof(_ proof: [UInt8]) throws(CredentialsError) -> DeviceEvidence {
        try KeyProof.verify(proof, over: bytes, by: fields.employeeKey)
    }
}

extension ChallengeFields {
    /// `challenge.invalid`.
    public static var malformed: CredentialsError.Code { .challengeInvalid }
}

extension DeviceChallengeFields {
    init(parsing bytes: [UInt8], _ tag: SignatureTag) throws(CredentialsError) {
        guard bytes.count <= Challenge.maximumByteCount else { throw CredentialsError(.challengeInvalid) }
        try self.init(exactly: bytes, tag)
        try require((try? EmployeePublicKey(bytes: employeeKey.bytes)) != nil, "employeeKey")
    }
}
