#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the service fixes before credentials are set: identities, keys and costs that the record must repeat exactly.
public struct SetUpPlan: Sendable, Hashable {
    /// The new credential's id, random.
    public var credentialId: UUID
    /// The user's id, random, chosen by the service because its first byte chooses a directory.
    public var userId: UUID
    /// The credential that is replaced; `nil` at first.
    public var previous: PreviousCredentials?
    /// Where the secrets are used.
    public var mode: CredentialMode
    /// Whether the credential may be used in blind mode only.
    public var blindOnly: Bool
    /// The VOPRF key for answers of this flow's seed.
    public var oprfAnswers: OPRFPublicKey
    /// The VOPRF key for the passphrase of this flow's seed.
    public var oprfPassphrase: OPRFPublicKey
    /// The cost of one guess.
    public var kdf: ScryptParameters

    /// Plans a set-up from the flow's public keys: what a blind client does with the service's answer.
    public init(
        credentialId: UUID, userId: UUID, mode: CredentialMode, blindOnly: Bool = false,
        oprfAnswers: OPRFPublicKey, oprfPassphrase: OPRFPublicKey, previous: PreviousCredentials? = nil,
        kdf: ScryptParameters = .standard
    ) {
        self.credentialId = credentialId
        self.userId = userId
        self.previous = previous
        self.mode = mode
        self.blindOnly = blindOnly
        self.oprfAnswers = oprfAnswers
        self.oprfPassphrase = oprfPassphrase
        self.kdf = kdf
    }

    /// Plans a set-up from the flow's seed: what the service does.
    public init(
        credentialId: UUID, userId: UUID, mode: CredentialMode, blindOnly: Bool = false, seed: OPRFSeed,
        previous: PreviousCredentials? = nil, kdf: ScryptParameters = .standard
    ) throws(CredentialsError) {
        let keys = try seed.keys()
        self.init(
            credentialId: credentialId, userId: userId, mode: mode, blindOnly: blindOnly,
            oprfAnswers: keys.answers.publicKey, oprfPassphrase: keys.passphrase.publicKey, previous: previous,
            kdf: kdf)
    }
}

/// What a new record says about the one it replaces.
public struct PreviousCredentials: Sendable, Hashable {
    /// The record's hash, 32 bytes; see ``CredentialsRecord/hash``.
    public let hash: [UInt8]
    /// The record's generation, 1 or more.
    public let generation: UInt32
    /// The user key that may sign the change; `nil` for a client that recovers, which knows no old key and needs none.
    public let userPublicKey: UserPublicKey?

    /// Takes all three from a record.
    public init(_ record: CredentialsRecord) {
        hash = record.hash
        generation = record.content.generation
        userPublicKey = record.content.sealed.context.userPublicKey
    }

    /// Takes what a client was told.
    ///
    /// - Throws: ``CredentialsError/Code/recordInvalid`` unless the hash has 32 bytes, not all zero, and the generation
    ///   has a successor.
    public init(hash: [UInt8], generation: UInt32, userPublicKey: UserPublicKey?) throws(CredentialsError) {
        guard hash.count == 32, hash.contains(where: { $0 != 0 }), (1..<UInt32.max).contains(generation) else {
            throw CredentialsError(.recordInvalid)
        }
        self.hash = hash
        self.generation = generation
        self.userPublicKey = userPublicKey
    }
}

/// What entitles somebody to set these credentials.
public enum SetUpAuthority: Sendable, Redacted {
    /// The user's first credentials.
    case initial
    /// The user opened the old credentials and signs with their key.
    case changed(oldKey: UserKey)
    /// Two different people approved; the hashes of the two approval events, 32 bytes each.
    case recovered(firstApproval: [UInt8], secondApproval: [UInt8])
}
