/// The 32 secret bytes from which both VOPRF keys of one credential follow.
///
/// The service wraps it, keeps it outside the log and destroys it with the credential.
public struct OPRFSeed: Sendable, Redacted {
    let secret: SecretBytes

    /// Takes a stored or derived seed.
    ///
    /// - Throws: ``CredentialsError/Code/secretInvalid`` unless there are 32 bytes.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 32 else { throw CredentialsError(.secretInvalid) }
        secret = SecretBytes(bytes)
    }

    init(secret: SecretBytes) { self.secret = secret }

    /// Draws a new seed.
    public static func generate(_ random: Randomness = .system) throws(CredentialsError) -> OPRFSeed {
        try OPRFSeed(bytes: random.bytes(32))
    }

    /// The 32 bytes, to be wrapped.
    public var bytes: [UInt8] { secret.bytes }

    /// Derives both key pairs; about two multiplications on P-384.
    public func keys() throws(CredentialsError) -> OPRFKeys { try OPRFKeys(seed: self) }
}
