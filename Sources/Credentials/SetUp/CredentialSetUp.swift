public import Canonical
import Text

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The values that the service fixes before credentials are set, and that the record must repeat exactly.
public struct SetUpPlan: Sendable, Hashable {
    /// The new credential's id, random.
    public var credentialId: UUID
    /// The user's id, random. The service chooses it, because its first byte determines a directory.
    public var userId: UUID
    /// The credential that is replaced, or `nil` for a user's first.
    public var previous: PreviousCredentials?
    /// The mode in which the secrets are used.
    public var mode: CredentialMode
    /// Whether the credential may be used in blind mode only.
    public var blindOnly: Bool
    /// The VOPRF key for answers, from this flow's seed.
    public var oprfAnswers: OPRFPublicKey
    /// The VOPRF key for the passphrase, from this flow's seed.
    public var oprfPassphrase: OPRFPublicKey
    /// The cost of one guess.
    public var kdf: ScryptParameters

    /// A plan with the flow's public keys, as a blind client makes it from the service's answer.
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

    /// A plan with the flow's seed, as the service makes it.
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

/// The facts about the replaced record that a new one repeats.
public struct PreviousCredentials: Sendable, Hashable {
    /// The record's hash, 32 bytes; see ``CredentialsRecord/hash``.
    public let hash: [UInt8]
    /// The record's generation, 1 or more.
    public let generation: UInt32
    /// The user key that may sign the change. It is `nil` for a client that recovers, which does not know the old key
    /// and does not need it.
    public let userPublicKey: UserPublicKey?

    /// The facts of a record.
    public init(_ record: CredentialsRecord) {
        hash = record.hash
        generation = record.content.generation
        userPublicKey = record.content.sealed.context.userPublicKey
    }

    /// The facts as a client received them.
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

/// The authority to set credentials.
public enum SetUpAuthority: Sendable, Redacted {
    /// The user's first credentials.
    case initial
    /// The user opened the old credentials and signs with their key.
    case changed(oldKey: UserKey)
    /// Two different colleagues approved. The values are the hashes of the two approval events, 32 bytes each.
    case recovered(firstApproval: [UInt8], secondApproval: [UInt8])
    /// A passkey of the user signed the challenge of the flow. Nobody knows the secret that is replaced.
    case passkey
}

/// A set-up of credentials: everything that a user entered, canonicalised and checked, and its plan.
///
/// Creating one is cheap and throws what the user must be told. ``complete(seed:authority:random:)`` computes the
/// credentials in direct mode; ``blinded()`` begins the exchange of blind mode.
public struct CredentialSetUp: Sendable, Redacted {
    let plan: SetUpPlan
    let flags: CredentialFlags
    let questions: [QuestionText]
    let questionIds: [UUID]
    let answers: [SecretBytes]
    let passphrase: Passphrase?

    /// Checks what was entered, and draws the question ids and salts.
    ///
    /// The five questions must differ: equal ones would be one question asked twice, and the user could not tell them
    /// apart. ``WeakSecrets`` has the rules for answers and passphrase. They cannot be enforced on other blind clients.
    ///
    /// - Parameters:
    ///   - passphrase: `nil` for none; an empty text is refused.
    ///   - questionsWithPassphrase: Whether answers shall open the credential too. Without a passphrase they always do,
    ///     and this is ignored.
    /// - Throws: ``CredentialsError/Code/fiveQuestionsRequired``, ``CredentialsError/Code/incomplete``,
    ///   ``CredentialsError/Code/questionsAlike``, ``CredentialsError/Code/tooLong``,
    ///   ``CredentialsError/Code/textInvalid``, ``CredentialsError/Code/tooWeak``;
    ///   ``CredentialsError/Code/recordInvalid`` for a plan that is both direct and blind-only.
    public init(
        plan: SetUpPlan, questions: [QuestionAndAnswer], passphrase: String?, questionsWithPassphrase: Bool = false,
        random: Randomness = .system
    ) throws(CredentialsError) {
        guard questions.count == 5 else { throw CredentialsError(.fiveQuestionsRequired) }
        guard !(plan.blindOnly && plan.mode == .direct) else { throw CredentialsError(.recordInvalid) }
        var texts: [QuestionText] = []
        var answers: [SecretBytes] = []
        for (index, item) in questions.enumerated() {
            texts.append(
                try placed(.question(index)) { () throws(CredentialsError) in
                    try QuestionText(item.question, random: random)
                })
            answers.append(
                SecretBytes(
                    try placed(.answer(index)) { () throws(CredentialsError) in
                        try TextRule.foldedText.secretBytes(
                            of: item.answer, maximumBytes: SuppliedAnswers.maximumByteCount)
                    }))
        }
        try QuestionText.requireFive(texts)
        if let passphrase { self.passphrase = try Passphrase(new: passphrase) } else { self.passphrase = nil }
        let weaknesses = WeakSecrets.weaknesses(
            of: questions.map { ($0.question, $0.answer) }, passphrase: passphrase)
        guard weaknesses.isEmpty else { throw CredentialsError(weaknesses) }
        self.plan = plan
        self.questions = texts
        self.answers = answers
        questionIds = texts.map { _ in random.uuid() }
        var flags: CredentialFlags = []
        if plan.blindOnly { flags.insert(.blindOnly) }
        if passphrase != nil, questionsWithPassphrase { flags.insert(.questionsWithPassphrase) }
        self.flags = flags
    }

    /// Completes the set-up in direct mode. It evaluates and stretches once per copy: one to eleven times 60 ms at the
    /// default cost.
    ///
    /// - Throws: ``CredentialsError/Code/secretInvalid`` if the seed is not the plan's;
    ///   ``CredentialsError/Code/recordInvalid`` if the authority does not fit the plan.
    public func complete(
        seed: OPRFSeed, authority: SetUpAuthority = .initial, random: Randomness = .system
    ) throws(CredentialsError) -> NewCredentials {
        let keys = try seed.keys()
        guard keys.answers.publicKey == plan.oprfAnswers, keys.passphrase.publicKey == plan.oprfPassphrase else {
            throw CredentialsError(.secretInvalid)
        }
        var outputs: [(CopySlot, SecretBytes)] = []
        let evaluateAnswers = try keys.answers.evaluator()
        let evaluatePassphrase = try keys.passphrase.evaluator()
        for input in inputs {
            switch input.slot {
            case .answers: outputs.append((input.slot, try evaluateAnswers(input)))
            case .passphrase: outputs.append((input.slot, try evaluatePassphrase(input)))
            }
        }
        return try NewCredentials(self, outputs: outputs, authority: authority, random: random)
    }

    /// Begins the set-up in blind mode: blinds once per copy.
    public func blinded() throws(CredentialsError) -> BlindedSetUp { try BlindedSetUp(self) }

    /// The inputs of all copies to store, in the frozen order, the passphrase last.
    var inputs: [VOPRFInput] {
        var inputs: [VOPRFInput] = []
        if passphrase == nil || flags.contains(.questionsWithPassphrase) {
            for subset in AnswerSubset.all {
                inputs.append(
                    VOPRFInput(
                        credentialId: plan.credentialId, subset: subset,
                        answers: subset.positions.map { (questionIds[$0], answers[$0].bytes) }))
            }
        }
        if let passphrase {
            inputs.append(VOPRFInput(credentialId: plan.credentialId, passphrase: passphrase.secret.bytes))
        }
        return inputs
    }
}

/// A set-up in blind mode, between blinding and evaluation. It lives on the client.
public struct BlindedSetUp: Sendable, Redacted {
    private let setUp: CredentialSetUp
    private let blinded: [BlindedInput]

    init(_ setUp: CredentialSetUp) throws(CredentialsError) {
        self.setUp = setUp
        var blinded: [BlindedInput] = []
        for input in setUp.inputs {
            switch input.slot {
            case .answers: blinded.append(try BlindedInput(input, for: setUp.plan.oprfAnswers))
            case .passphrase: blinded.append(try BlindedInput(input, for: setUp.plan.oprfPassphrase))
            }
        }
        self.blinded = blinded
    }

    /// The blinded elements for the service, 49 bytes each, with their slots: ten, eleven or one.
    public var elements: [(slot: CopySlot, element: [UInt8])] { blinded.map { ($0.slot, $0.element) } }

    /// Verifies every evaluation and makes the credentials, with one stretch per copy.
    ///
    /// - Parameter evaluations: One of 145 bytes for each of ``elements``, in their order.
    /// - Throws: ``CredentialsError/Code/evaluationInvalid`` if one is missing or its proof does not verify;
    ///   ``CredentialsError/Code/recordInvalid`` if the authority does not fit the plan.
    public func complete(
        evaluations: [[UInt8]], authority: SetUpAuthority = .initial, random: Randomness = .system
    ) throws(CredentialsError) -> NewCredentials {
        guard evaluations.count == blinded.count else { throw CredentialsError(.evaluationInvalid) }
        var outputs: [(CopySlot, SecretBytes)] = []
        for (input, evaluation) in zip(blinded, evaluations) {
            outputs.append((input.slot, try input.finalize(evaluation)))
        }
        return try NewCredentials(setUp, outputs: outputs, authority: authority, random: random)
    }
}
