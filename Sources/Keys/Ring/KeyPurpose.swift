/// What an independent random key of the whole installation is for; names are permanent.
public enum KeyPurpose: String, Sendable, CaseIterable {
    /// Digests by which names, addresses and ids are found. Never rotated: claims in the log depend on it.
    case lookup
    /// What unknown employees are answered with. Never rotated, or decoys would change where real answers do not.
    case decoy
    /// Digests of session tokens.
    case sessions
    /// Fingerprints of requests and the seals of stored answers.
    case idempotency
    /// The seals of flow rows.
    case flows
    /// The Ed25519 key that signs checkpoints.
    case checkpoints

    /// How the key is wrapped under a master key.
    func wrap(master version: Int) -> KeyWrap {
        KeyWrap(purpose: "purpose/" + rawValue, id: [], owner: [], version: version)
    }
}
