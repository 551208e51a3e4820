public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The values that a client expects in a challenge before it signs. Every field that is set must match.
///
/// The device's own key and the purpose are always known. Other fields are compared if the client knows them.
public struct ChallengeExpectation: Sendable, Hashable {
    /// The service's name.
    public var issuer: String?
    /// The purpose that the user chose.
    public var purpose: Challenge.Purpose
    /// The flow.
    public var flow: UUID?
    /// The nonce, 32 bytes.
    public var nonce: [UInt8]?
    /// The tenant's id.
    public var tenant: UUID?
    /// The subject's salted commitment.
    public var subject: Commitment?
    /// The app's id.
    public var app: String?
    /// The device's own key.
    public var employeeKey: EmployeePublicKey
    /// The credential, or `nil` to skip the comparison.
    public var credential: UUID?
    /// The time to compare the expiry with, or `nil` to leave that to the service.
    public var now: Timestamp?

    /// An expectation of this purpose and key, and of what else is given.
    public init(
        purpose: Challenge.Purpose, employeeKey: EmployeePublicKey, issuer: String? = nil, flow: UUID? = nil,
        nonce: [UInt8]? = nil, tenant: UUID? = nil, subject: Commitment? = nil, app: String? = nil,
        credential: UUID? = nil, now: Timestamp? = nil
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
        self.now = now
    }
}

extension Challenge {
    /// Compares every expected field.
    ///
    /// - Throws: ``CredentialsError/Code/challengeMismatch`` with the name of the first field that differs, or
    ///   ``CredentialsError/Code/expired``.
    public func require(_ expected: ChallengeExpectation) throws(CredentialsError) {
        // Strings are compared by their bytes, because Swift's `==` treats different Unicode forms as equal.
        try compare("issuer", Array(fields.issuer.utf8), expected.issuer.map { Array($0.utf8) })
        try compare("purpose", fields.purpose, expected.purpose)
        try compare("flow", fields.flow, expected.flow)
        try compare("nonce", fields.nonce, expected.nonce)
        try compare("tenant", fields.tenant, expected.tenant)
        try compare("subject", fields.subject, expected.subject)
        try compare("app", Array(fields.app.utf8), expected.app.map { Array($0.utf8) })
        try compare("employeeKey", fields.employeeKey, expected.employeeKey)
        if let credential = expected.credential { try compare("credential", fields.credential, .some(credential)) }
        if let now = expected.now { try checkExpiry(at: now) }
    }

    private func compare<Value: Equatable>(
        _ name: String, _ value: Value, _ expected: Value?
    ) throws(CredentialsError) {
        guard let expected else { return }
        guard value == expected else { throw CredentialsError(.challengeMismatch, field: name) }
    }
}

/// A challenge with both signatures, as `AnswersValidated` and `PassphraseValidated` carry it. Anyone can verify it.
public struct ValidatedChallenge: Sendable, Hashable {
    /// The challenge that the device signed first.
    public let challenge: Challenge
    /// The evidence of the device key that the challenge names, over the challenge's bytes.
    public let deviceSignature: DeviceEvidence
    /// The signature of the user key over `tenure/v1/validation`, newline, the challenge's bytes.
    public let userSignature: Signature

    /// A challenge and its signatures, not yet verified.
    public init(challenge: Challenge, deviceSignature: DeviceEvidence, userSignature: Signature) {
        self.challenge = challenge
        self.deviceSignature = deviceSignature
        self.userSignature = userSignature
    }

    /// Verifies both signatures.
    ///
    /// - Parameter userKey: The public key of the credential's record, never one that came with the proof.
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` if either does not verify.
    public func verify(userKey: UserPublicKey) throws(CredentialsError) {
        try deviceSignature.verify(over: challenge.bytes, by: challenge.fields.employeeKey)
        try challenge.verifyValidation(userSignature, by: userKey)
    }
}

extension Challenge {
    /// Verifies a user key's proof, raw or DER, over `tenure/v1/validation`, newline and this challenge, and returns the
    /// raw form to store.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid``.
    public func verifyValidation(proof: [UInt8], by key: UserPublicKey) throws(CredentialsError) -> Signature {
        try KeyProof.verify(proof, over: SignatureTag.validation.line + bytes, by: key)
    }

    /// Verifies a user key's signature over `tenure/v1/validation`, newline and this challenge.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid``.
    public func verifyValidation(_ signature: Signature, by key: UserPublicKey) throws(CredentialsError) {
        try key.verify(signature, over: SignatureTag.validation.line + bytes)
    }
}
