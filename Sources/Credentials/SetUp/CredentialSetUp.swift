import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Everything a person entered to set credentials, canonicalised and checked, and the plan it is for.
///
/// Making one costs little and throws what the person must be told. ``complete(seed:authority:random:)`` computes the
/// whole in direct mode; ``blinded()`` begins the exchange of blind mode.
public struct CredentialSetUp: Sendable, Redacted {
    let plan: SetUpPlan
    let flags: CredentialFlags
    let questions: [QuestionText]
    let questionIds: [UUID]
    let answers: [SecretBytes]
    let passphrase: Passphrase?

    /// Checks what was entered and draws the question ids and salts.
    ///
    /// The five questions must differ after folding: equal ones would be one question asked twice, and the person
    /// could not tell which is which. Equal answers are accepted, since a blind client could not be held to more.
    ///
    /// - Parameters:
    ///   - passphrase: `nil` for none; an empty text is refused.
    ///   - questionsWithPassphrase: Whether the answers shall open the credential too; without a passphrase they
    ///     always do, and this is ignored.
    /// - Throws: ``CredentialsError/Code/fiveQuestionsRequired``, ``CredentialsError/Code/incomplete``,
    ///   ``CredentialsError/Code/questionsAlike``, ``CredentialsError/Code/tooLong``,
    ///   ``CredentialsError/Code/textInvalid``; ``CredentialsError/Code/recordInvalid`` for a plan that is direct and
    ///   blind-only at once.
    public init(
        plan: SetUpPlan, questions: [QuestionAndAnswer], passphrase: String?, questionsWithPassphrase: Bool = false,
        random: Randomness = .system
    ) throws(CredentialsError) {
        guard questions.count == 5 else { throw CredentialsError(.fiveQuestionsRequired) }
        guard !(plan.blindOnly && plan.mode == .direct) else { throw CredentialsError(.recordInvalid) }
        var texts: [QuestionText] = []
        var answers: [SecretBytes] = []
        var folded: Set<[UInt8]> = []
        for item in questions {
            let comparable = try TextRule.foldedText.secretBytes(
                of: item.question, maximumBytes: QuestionText.maximumByteCount)
            guard folded.insert(comparable).inserted else { throw CredentialsError(.questionsAlike) }
            texts.append(try QuestionText(item.question, random: random))
            answers.append(
                SecretBytes(
                    try TextRule.foldedText.secretBytes(
                        of: item.answer, maximumBytes: SuppliedAnswers.maximumByteCount)))
        }
        if let passphrase { self.passphrase = try Passphrase(new: passphrase) } else { self.passphrase = nil }
        self.plan = plan
        self.questions = texts
        self.answers = answers
        questionIds = texts.map { _ in random.uuid() }
        var flags: CredentialFlags = []
        if plan.blindOnly { flags.insert(.blindOnly) }
        if passphrase != nil, questionsWithPassphrase { flags.insert(.questionsWithPassphrase) }
        self.flags = flags
    }

    /// Completes the set-up in direct mode: evaluates and stretches once per copy, one to eleven times 60 ms at the
    /// default cost.
    ///
    /// - Throws: ``CredentialsError/Code/secretInvalid`` when the seed is not the plan's;
    ///   ``CredentialsError/Code/recordInvalid`` when the authority does not fit the plan.
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

    /// The inputs of all copies to be stored, in the frozen order, the passphrase last.
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
