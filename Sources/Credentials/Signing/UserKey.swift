import Crypto

/// The private half of a user's key: it exists while credentials are set or a copy is open, and nowhere else.
public struct UserKey: Sendable, Redacted {
    /// The public half.
    public let publicKey: UserPublicKey
    let secret: SecretBytes

    init(privateBytes secret: SecretBytes) throws(CredentialsError) {
        guard secret.count == 32, let key = try? P256.Signing.PrivateKey(rawRepresentation: secret.bytes) else {
            throw CredentialsError(.secretInvalid)
        }
        self.secret = secret
        publicKey = UserPublicKey(validated: ValidatedPoint(key.publicKey))
    }

    /// Makes a new key: 32 random bytes, drawn again in the rare case that they are no scalar of the curve.
    static func generate(_ random: Randomness) throws(CredentialsError) -> UserKey {
        try ScalarDerivation.firstAccepted({ _ in SecretBytes(random.bytes(32)) }) { try? UserKey(privateBytes: $0) }
    }

    /// Signs `tenure/v1/validation`, newline, challenge: the proof that the credentials were right.
    public func sign(validationOf challenge: Challenge) throws(CredentialsError) -> Signature {
        try sign(SignatureTag.validation.line + challenge.bytes)
    }

    func sign(_ message: [UInt8]) throws(CredentialsError) -> Signature {
        try secret.signP256(message)
    }
}

extension SecretBytes {
    /// Signs with the P-256 scalar stored here; the nonce is drawn by the library.
    func signP256(_ message: [UInt8]) throws(CredentialsError) -> Signature {
        do {
            return Signature(try P256.Signing.PrivateKey(rawRepresentation: bytes).signature(for: message))
        } catch {
            throw CredentialsError(.secretInvalid)
        }
    }
}
