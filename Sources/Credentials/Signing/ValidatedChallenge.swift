/// A challenge with both signatures: what `AnswersValidated` and `PassphraseValidated` carry and anyone can verify.
public struct ValidatedChallenge: Sendable, Hashable {
    /// The challenge that the device signed first.
    public let challenge: Challenge
    /// By the device key that the challenge names, over the challenge's bytes.
    public let deviceSignature: Signature
    /// By the user key, over `tenure/v1/validation`, newline, the challenge's bytes.
    public let userSignature: Signature

    /// Collects the three; nothing is verified yet.
    public init(challenge: Challenge, deviceSignature: Signature, userSignature: Signature) {
        self.challenge = challenge
        self.deviceSignature = deviceSignature
        self.userSignature = userSignature
    }

    /// Verifies both signatures.
    ///
    /// - Parameter userKey: The public key of the credential's record, never one that came with the proof.
    /// - Throws: ``CredentialsError/Code/signatureInvalid`` when either does not verify.
    public func verify(userKey: UserPublicKey) throws(CredentialsError) {
        try challenge.fields.employeeKey.verify(deviceSignature, over: challenge.bytes)
        try challenge.verifyValidation(userSignature, by: userKey)
    }
}

extension Challenge {
    /// Verifies the device's signature, raw or DER, by the key the challenge names, and returns the raw form to store.
    ///
    /// - Throws: ``CredentialsError/Code/signatureInvalid``.
    public func verifyKeyProof(_ proof: [UInt8]) throws(CredentialsError) -> Signature {
        try KeyProof.verify(proof, over: bytes, by: fields.employeeKey)
    }

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
