/// What a seed is for; the raw value is what the column `purpose` of `tenure.oprf_seed` holds.
enum OPRFPurpose: String, Sendable, CaseIterable {
    case answers
    case passphrase

    /// The purpose that the seed is wrapped for.
    var wrapPurpose: String { "oprf/" + rawValue }
}

/// The seeds from which the VOPRF keys of one set of credentials are derived; 32 random bytes each.
///
/// They lie outside the log and are destroyed when the credential is replaced or the person erased.
public struct CredentialSeeds: Sendable, Equatable {
    /// The seed of the key for answers.
    public let answers: SecretKey
    /// The seed of the key for the passphrase, if the user has one.
    public let passphrase: SecretKey?

    /// Makes a pair of existing seeds, such as those a flow has kept sealed until it completed.
    public init(answers: SecretKey, passphrase: SecretKey?) {
        self.answers = answers
        self.passphrase = passphrase
    }

    /// Makes random seeds.
    public static func random(withPassphrase: Bool) -> CredentialSeeds {
        CredentialSeeds(answers: SecretKey(), passphrase: withPassphrase ? SecretKey() : nil)
    }

    var byPurpose: [(purpose: OPRFPurpose, seed: SecretKey)] {
        [(.answers, answers)] + (passphrase.map { [(.passphrase, $0)] } ?? [])
    }
}
