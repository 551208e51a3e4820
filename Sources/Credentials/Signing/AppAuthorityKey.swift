import Crypto

/// The key with which an app vouches for employee keys, derived from its secret and salt whenever the secret is shown.
///
/// HKDF-SHA256 with the secret as key material, the salt as salt and `tenure/v1/app-authority` ‖ counter (one byte,
/// from 0) as info gives 32 bytes; the first output that is a scalar of P-256 is the private key. It is never stored.
public struct AppAuthorityKey: Sendable, Redacted {
    /// The public half, as it stands in `AppSecretIssued`.
    public let publicKey: AppAuthorityPublicKey
    private let secret: SecretBytes

    /// Derives the key.
    ///
    /// - Parameters:
    ///   - appSecret: The bytes of the secret as the app presents it (the UTF-8 bytes of its text form), at least 16.
    ///   - appSalt: The bytes of the salt as the app presents it, at least 8.
    /// - Throws: ``CredentialsError/Code/secretInvalid`` when either is too short.
    public init(appSecret: [UInt8], appSalt: [UInt8]) throws(CredentialsError) {
        guard appSecret.count >= 16, appSalt.count >= 8 else { throw CredentialsError(.secretInvalid) }
        let derived = try ScalarDerivation.derive(
            SHA256.self, from: SecretBytes(appSecret), salt: appSalt, info: Tag.appAuthority, byteCount: 32
        ) { candidate in
            (try? P256.Signing.PrivateKey(rawRepresentation: candidate.bytes)).map { (candidate, $0.publicKey) }
        }
        secret = derived.0
        publicKey = AppAuthorityPublicKey(validated: ValidatedPoint(derived.1))
    }

    /// Checks and signs a statement the service made itself, while the app's secret is presented.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid`` when a member is out of range.
    public func sign(_ statement: some Statement) throws(CredentialsError) -> Signature {
        try statement.check()
        return try secret.signP256(statement.bytes)
    }
}
