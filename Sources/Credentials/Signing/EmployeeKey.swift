public import Canonical
import Crypto

/// An employee's device key in memory, for devices without a key store.
///
/// A device with a key store signs the same bytes there and does not need this type.
public struct EmployeeKey: Sendable, Redacted {
    /// The public half.
    public let publicKey: EmployeePublicKey
    private let secret: SecretBytes

    /// A stored private key.
    ///
    /// - Parameter bytes: The private scalar, 32 bytes, big-endian.
    /// - Throws: ``CredentialsError/Code/secretInvalid`` if it is not a scalar of P-256.
    public init(privateBytes bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 32, let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw CredentialsError(.secretInvalid)
        }
        secret = SecretBytes(bytes)
        publicKey = EmployeePublicKey(validated: CheckedKey(key.publicKey))
    }

    /// Generates a key.
    public static func generate(_ random: Randomness = .system) throws(CredentialsError) -> EmployeeKey {
        try ScalarDerivation.firstAccepted({ _ in SecretBytes(random.bytes(32)) }) {
            try? EmployeeKey(privateBytes: $0.bytes)
        }
    }

    /// The private scalar, 32 bytes. Store it where only its owner can read it.
    public var privateBytes: [UInt8] { secret.bytes }

    /// Signs a challenge. Parse it and compare its fields first.
    public func sign(_ challenge: some DeviceChallenge) throws(CredentialsError) -> Signature {
        try secret.signP256(challenge.bytes)
    }

    /// Signs the device's message of a new record of credentials.
    public func sign(_ credentials: NewCredentials) throws(CredentialsError) -> Signature {
        try secret.signP256(credentials.deviceMessage)
    }

    /// Signs a statement after checking that it begins with the requested tag and parses as that kind.
    ///
    /// - Throws: ``CredentialsError/Code/unexpectedTag`` or ``CredentialsError/Code/statementInvalid``.
    public func sign<S: Statement>(
        statement bytes: [UInt8], as kind: S.Type, tag: SignatureTag
    ) throws(CredentialsError) -> (S, Signature) {
        let statement = try S(parsing: bytes, expecting: tag)
        return (statement, try secret.signP256(bytes))
    }
}

/// A user's private key. It exists only while credentials are set or a copy is open.
public struct UserKey: Sendable, Redacted {
    /// The public half.
    public let publicKey: UserPublicKey
    let secret: SecretBytes

    init(privateBytes secret: SecretBytes) throws(CredentialsError) {
        guard secret.count == 32, let key = try? P256.Signing.PrivateKey(rawRepresentation: secret.bytes) else {
            throw CredentialsError(.secretInvalid)
        }
        self.secret = secret
        publicKey = UserPublicKey(validated: CheckedKey(key.publicKey))
    }

    /// Generates a key from 32 random bytes, repeated in the rare case that they are not a scalar of the curve.
    static func generate(_ random: Randomness) throws(CredentialsError) -> UserKey {
        try ScalarDerivation.firstAccepted({ _ in SecretBytes(random.bytes(32)) }) { try? UserKey(privateBytes: $0) }
    }

    /// Signs `tenure/v1/validation`, newline, challenge, which proves that the credentials were right.
    public func sign(validationOf challenge: Challenge) throws(CredentialsError) -> Signature {
        try sign(SignatureTag.validation.line + challenge.bytes)
    }

    func sign(_ message: [UInt8]) throws(CredentialsError) -> Signature {
        try secret.signP256(message)
    }
}

extension SecretBytes {
    /// Signs with the P-256 scalar stored here. The library draws the nonce.
    func signP256(_ message: [UInt8]) throws(CredentialsError) -> Signature {
        do {
            return Signature(try P256.Signing.PrivateKey(rawRepresentation: bytes).signature(for: message))
        } catch {
            throw CredentialsError(.secretInvalid)
        }
    }
}

/// The key with which an app vouches for device keys, derived from its secret and salt whenever it presents them.
///
/// HKDF-SHA256 with the secret as key material, the salt as salt and `tenure/v1/app-authority` ‖ counter (one byte,
/// from 0) as info gives 32 bytes. The first output that is a scalar of P-256 is the private key. It is never stored.
public struct AppAuthorityKey: Sendable, Redacted {
    /// The public half, as `AppSecretIssued` contains it.
    public let publicKey: AppAuthorityPublicKey
    private let secret: SecretBytes

    /// Derives the key.
    ///
    /// - Parameters:
    ///   - appSecret: The bytes of the secret as the app presents it (the UTF-8 bytes of its text form), at least 16.
    ///   - appSalt: The bytes of the salt as the app presents it, at least 8.
    /// - Throws: ``CredentialsError/Code/secretInvalid`` if either is too short.
    public init(appSecret: [UInt8], appSalt: [UInt8]) throws(CredentialsError) {
        guard appSecret.count >= 16, appSalt.count >= 8 else { throw CredentialsError(.secretInvalid) }
        let derived = try ScalarDerivation.derive(
            SHA256.self, from: SecretBytes(appSecret), salt: appSalt, info: Tag.appAuthority, byteCount: 32
        ) { candidate in
            (try? P256.Signing.PrivateKey(rawRepresentation: candidate.bytes)).map { (candidate, $0.publicKey) }
        }
        secret = derived.0
        publicKey = AppAuthorityPublicKey(validated: CheckedKey(derived.1))
    }

    /// Checks and signs a statement of the service, while the app's secret is presented.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid`` if a member is out of range.
    public func sign(_ statement: some Statement) throws(CredentialsError) -> Signature {
        try statement.check()
        return try secret.signP256(statement.bytes)
    }
}
