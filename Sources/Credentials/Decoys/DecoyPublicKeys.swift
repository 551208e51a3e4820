import Crypto

/// The public keys of a decoy: a multiplication on a curve each, so whoever needs them again keeps them.
public struct DecoyPublicKeys: Sendable, Hashable {
    let user: UserPublicKey
    let answers: OPRFPublicKey
    /// Nil for a decoy that asks for no passphrase.
    let passphrase: OPRFPublicKey?

    init(seed: OPRFSeed, userKeySecret: SecretBytes, withPassphrase: Bool) throws(CredentialsError) {
        let userKey = try ScalarDerivation.derive(
            SHA256.self, from: userKeySecret, salt: [], info: Tag.decoy, byteCount: 32
        ) { try? UserKey(privateBytes: $0) }
        user = userKey.publicKey
        answers = try OPRFKey.publicKey(seed: seed, info: Tag.oprfAnswers)
        passphrase = withPassphrase ? try OPRFKey.publicKey(seed: seed, info: Tag.oprfPassphrase) : nil
    }

    /// Reads what ``bytes`` wrote, from where no stranger writes.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid`` unless there are 114 or 163 bytes of the keys' forms.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 65 + 49 || bytes.count == 65 + 49 + 49 else { throw CredentialsError(.keyInvalid) }
        user = try UserPublicKey(kept: Array(bytes[..<65]))
        answers = try OPRFPublicKey(kept: Array(bytes[65..<114]))
        passphrase = bytes.count > 114 ? try OPRFPublicKey(kept: Array(bytes[114...])) : nil
    }

    /// User key (65) ‖ VOPRF key for answers (49) ‖ VOPRF key for the passphrase (49), where there is one.
    public var bytes: [UInt8] { user.bytes + answers.bytes + (passphrase?.bytes ?? []) }
}
