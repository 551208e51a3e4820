import Crypto

/// The public keys of a decoy: three multiplications on the curves, so whoever needs them again keeps them.
///
/// All three are made for every name, also where no passphrase is asked for: a start that took longer for some names would
/// tell the kind of their decoys, and a key step that shows another kind would prove that somebody has the name.
public struct DecoyPublicKeys: Sendable, Hashable {
    let user: UserPublicKey
    let answers: OPRFPublicKey
    let passphrase: OPRFPublicKey

    init(
        seed: OPRFSeed, userKeySecret: SecretBytes, generator: any GeneratorMultiplication
    ) throws(CredentialsError) {
        let userKey = try ScalarDerivation.derive(
            SHA256.self, from: userKeySecret, salt: [], info: Tag.decoy, byteCount: 32
        ) { try? UserKey(privateBytes: $0) }
        user = userKey.publicKey
        answers = try OPRFKey.publicKey(seed: seed, info: Tag.oprfAnswers, generator: generator)
        passphrase = try OPRFKey.publicKey(seed: seed, info: Tag.oprfPassphrase, generator: generator)
    }

    /// Reads what ``bytes`` wrote, from where no stranger writes.
    ///
    /// - Throws: ``CredentialsError/Code/keyInvalid`` unless there are 163 bytes of the three keys' forms.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 65 + 49 + 49 else { throw CredentialsError(.keyInvalid) }
        user = try UserPublicKey(kept: Array(bytes[..<65]))
        answers = try OPRFPublicKey(kept: Array(bytes[65..<114]))
        passphrase = try OPRFPublicKey(kept: Array(bytes[114...]))
    }

    /// User key (65) ‖ VOPRF key for answers (49) ‖ VOPRF key for the passphrase (49).
    public var bytes: [UInt8] { user.bytes + answers.bytes + passphrase.bytes }
}
