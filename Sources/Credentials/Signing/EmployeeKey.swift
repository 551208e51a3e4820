import Crypto

/// An employee's device key held in memory, for devices without a key store of their own.
///
/// A device that has one signs the same bytes there; nothing of this type is needed then.
public struct EmployeeKey: Sendable, Redacted {
    /// The public half.
    public let publicKey: EmployeePublicKey
    private let secret: SecretBytes

    /// Takes a stored private key.
    ///
    /// - Parameter bytes: The private scalar, 32 bytes, big-endian.
    /// - Throws: ``CredentialsError/Code/secretInvalid`` when it is no scalar of P-256.
    public init(privateBytes bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 32, let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw CredentialsError(.secretInvalid)
        }
        secret = SecretBytes(bytes)
        publicKey = EmployeePublicKey(validated: ValidatedPoint(key.publicKey))
    }

    /// Makes a new key.
    public static func generate(_ random: Randomness = .system) throws(CredentialsError) -> EmployeeKey {
        try ScalarDerivation.firstAccepted({ _ in SecretBytes(random.bytes(32)) }) {
            try? EmployeeKey(privateBytes: $0.bytes)
        }
    }

    /// The private scalar, 32 bytes, to be stored where only its owner can read it.
    public var privateBytes: [UInt8] { secret.bytes }

    /// Signs a challenge that was parsed and compared field by field.
    public func sign(_ challenge: Challenge) throws(CredentialsError) -> Signature {
        try secret.signP256(challenge.bytes)
    }

    /// Signs the device's message of a new record of credentials.
    public func sign(_ credentials: NewCredentials) throws(CredentialsError) -> Signature {
        try secret.signP256(credentials.deviceMessage)
    }

    /// Signs a statement after checking that it begins with the tag that was asked for and parses as that kind.
    ///
    /// - Throws: ``CredentialsError/Code/unexpectedTag`` or ``CredentialsError/Code/statementInvalid``.
    public func sign<S: Statement>(
        statement bytes: [UInt8], as kind: S.Type, tag: SignatureTag
    ) throws(CredentialsError) -> (S, Signature) {
        let statement = try S(parsing: bytes, expecting: tag)
        return (statement, try secret.signP256(bytes))
    }
}
