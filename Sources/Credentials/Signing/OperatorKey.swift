public import Canonical
import Crypto

/// The operator's private key, in memory during a command.
///
/// Its public half is in the first event of the system ledger. The service never has the private half.
public struct OperatorKey: Sendable, Redacted {
    /// The public half.
    public let publicKey: OperatorPublicKey
    private let secret: SecretBytes

    /// A key with a private scalar, 32 bytes, big-endian.
    ///
    /// - Throws: ``CredentialsError/Code/secretInvalid`` if it is not a scalar of P-256.
    public init(privateBytes bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 32, let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw CredentialsError(.secretInvalid)
        }
        secret = SecretBytes(bytes)
        publicKey = OperatorPublicKey(validated: CheckedKey(key.publicKey))
    }

    /// Parses the result of ``text``: the scalar in lower-case hexadecimal, and a newline.
    ///
    /// - Throws: ``CredentialsError/Code/secretInvalid``.
    public init(text: String) throws(CredentialsError) {
        guard let bytes = Hex.decode(text.hasSuffix("\n") ? String(text.dropLast()) : text) else {
            throw CredentialsError(.secretInvalid)
        }
        try self.init(privateBytes: bytes)
    }

    /// Generates a key.
    public static func generate(_ random: Randomness = .system) throws(CredentialsError) -> OperatorKey {
        try ScalarDerivation.firstAccepted({ _ in SecretBytes(random.bytes(32)) }) {
            try? OperatorKey(privateBytes: $0.bytes)
        }
    }

    /// The private scalar in lower-case hexadecimal and a newline, for a file that only the operator can read.
    public var text: String { Hex.encode(secret.bytes) + "\n" }

    /// Checks and signs a decision.
    ///
    /// - Throws: ``CredentialsError/Code/statementInvalid`` if a member is out of range.
    public func sign(_ statement: OperatorStatement) throws(CredentialsError) -> Signature {
        try statement.check()
        return try secret.signP256(statement.bytes)
    }
}

/// The public half of an operator key.
public struct OperatorPublicKey: SigningPublicKey {
    /// The 65-byte X9.63 point.
    public let bytes: [UInt8]
    /// A key at a validated point.
    public init(validated point: CheckedKey) { bytes = point.bytes }

    /// Parses the 65 bytes in base64 or base64url, with or without padding.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid``.
    public init(base64 text: String) throws(CredentialsError) {
        guard let bytes = Base64URL.decode(text) ?? Base64.decode(text) else { throw CredentialsError(.keyInvalid) }
        try self.init(bytes: bytes)
    }

    /// The 65 bytes in unpadded base64url, as in the log.
    public var base64: String { Base64URL.encode(bytes) }
}
