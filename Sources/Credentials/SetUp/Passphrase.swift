import Text

/// A passphrase in canonical form (NFC, case and spaces kept), checked before anything is charged.
public struct Passphrase: Sendable, Redacted {
    let secret: SecretBytes

    /// The longest passphrase in bytes of UTF-8, before and after canonicalisation.
    public static let maximumByteCount = 1_024
    /// The fewest code points of a new passphrase, counted after canonicalisation.
    public static let minimumCodePoints = 8

    /// Takes a passphrase that somebody typed to log in, however short.
    ///
    /// - Throws: ``CredentialsError/Code/passphraseMissing`` when empty, ``CredentialsError/Code/tooLong``,
    ///   ``CredentialsError/Code/textInvalid``.
    public init(supplied text: String) throws(CredentialsError) {
        do {
            secret = SecretBytes(
                try TextRule.passphrase.secretBytes(of: text, maximumBytes: Self.maximumByteCount))
        } catch {
            guard error.code == .incomplete else { throw error }
            throw CredentialsError(.passphraseMissing)
        }
    }

    /// Takes a passphrase that somebody chooses.
    ///
    /// - Throws: ``CredentialsError/Code/incomplete`` below 8 code points, ``CredentialsError/Code/tooLong``,
    ///   ``CredentialsError/Code/textInvalid``.
    public init(new text: String) throws(CredentialsError) {
        let bytes = try TextRule.passphrase.secretBytes(of: text, maximumBytes: Self.maximumByteCount)
        guard String(decoding: bytes, as: UTF8.self).unicodeScalars.count >= Self.minimumCodePoints else {
            throw CredentialsError(.incomplete, field: "passphrase")
        }
        secret = SecretBytes(bytes)
    }
}
