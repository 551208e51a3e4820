import Crypto

/// The public keys of a decoy: three multiplications on the curves, so whoever needs them again keeps them.
public struct DecoyPublicKeys: Sendable, Hashable {
    let user: UserPublicKey
    let answers: OPRFPublicKey
    let passphrase: OPRFPublicKey

    init(seed: OPRFSeed, userKeySecret: SecretBytes) throws(CredentialsError) {
        let keys = try seed.keys()
        let userKey = try ScalarDerivation.derive(
            SHA256.self, from: userKeySecret, salt: [], info: Tag.decoy, byteCount: 32
        ) { try? UserKey(privateBytes: $0) }
        user = userKey.publicKey
        answers = keys.answers.publicKey
        passphrase = keys.passphrase.publicKey
    }

    /// Reads what ``bytes`` wrote.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid`` unless there are 163 bytes with a point on its curve each.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 65 + 49 + 49 else { throw CredentialsError(.keyInvalid) }
        user = try UserPublicKey(bytes: Array(bytes[..<65]))
        answers = try OPRFPublicKey(bytes: Array(bytes[65..<114]))
        passphrase = try OPRFPublicKey(bytes: Array(bytes[114...]))
    }

    /// User key (65) ‖ VOPRF key for answers (49) ‖ VOPRF key for the passphrase (49).
    public var bytes: [UInt8] { user.bytes + answers.bytes + passphrase.bytes }
}
