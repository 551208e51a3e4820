public import Canonical

/// The client's half of opening in blind mode: it blinds secrets, and opens copies with the evaluations.
///
/// ```swift
/// let opening = try BlindOpening(context: context, passphrase: Passphrase(supplied: text))
/// let request = try opening.first()
/// let evaluation = …                                     // of `request.element`, by the service
/// let key = try request.open(evaluation: evaluation, copy: copy)
/// ```
///
/// The client requests ``remaining()`` only if ``first()`` did not open, so a correct log-in costs the service one
/// evaluation. All of it is one attempt.
public struct BlindOpening: Sendable, Redacted {
    private let context: OpeningContext
    private let inputs: [VOPRFInput]

    /// An opening with three to five answers.
    ///
    /// - Throws: ``CredentialsError/Code/notStored`` if answers do not open this credential.
    public init(context: OpeningContext, answers: SuppliedAnswers) throws(CredentialsError) {
        guard context.acceptsAnswers else { throw CredentialsError(.notStored) }
        self.context = context
        inputs = answers.inputs(context)
    }

    /// An opening with the passphrase.
    ///
    /// - Throws: ``CredentialsError/Code/notStored`` if there is no passphrase.
    public init(context: OpeningContext, passphrase: Passphrase) throws(CredentialsError) {
        guard context.acceptsPassphrase else { throw CredentialsError(.notStored) }
        self.context = context
        inputs = [VOPRFInput(credentialId: context.credentialId, passphrase: passphrase.secret.bytes)]
    }

    /// Returns the first element to evaluate.
    public func first() throws(CredentialsError) -> BlindedRequest {
        guard let input = inputs.first else { throw CredentialsError(.atLeastThreeAnswersRequired) }
        return try BlindedRequest(input, context: context)
    }

    /// Returns elements for the subsets that the answers do not cover, six for four answers. The service evaluates all
    /// nine other elements or none, so it does not learn how many answers were given.
    ///
    /// They are blinded random inputs, whose evaluations are discarded.
    public func padding(_ random: Randomness = .system) throws(CredentialsError) -> [BlindedElement] {
        let covered = Set(inputs.map(\.slot))
        guard inputs.count > 1 else { return [] }
        var elements: [BlindedElement] = []
        for slot in AnswerSubset.all.map({ CopySlot.answers($0) }) where !covered.contains(slot) {
            let input = VOPRFInput(slot: slot, bytes: random.bytes(32))
            let blinded = try BlindedInput(input, for: context.oprfAnswers)
            elements.append(try BlindedElement(slot: slot, bytes: blinded.element))
        }
        return elements
    }

    /// Returns the other elements: none for three answers or a passphrase, three for four answers, and nine for five.
    public func remaining() throws(CredentialsError) -> [BlindedRequest] {
        var requests: [BlindedRequest] = []
        for input in inputs.dropFirst() { requests.append(try BlindedRequest(input, context: context)) }
        return requests
    }
}

/// One blinded element, with the state needed to use its evaluation. It lives for one attempt on the client.
public struct BlindedRequest: Sendable, Redacted {
    /// The copy that the evaluation opens.
    public let slot: CopySlot
    /// The blinded element, 49 bytes. The service sees nothing else of the secret.
    public let element: [UInt8]
    private let blinded: BlindedInput
    private let context: OpeningContext

    init(_ input: VOPRFInput, context: OpeningContext) throws(CredentialsError) {
        blinded = try BlindedInput(input, for: try context.oprfKey(for: input.slot))
        slot = input.slot
        element = blinded.element
        self.context = context
    }

    /// Verifies the evaluation's proof, stretches the output and opens the copy. It takes as long as scrypt.
    ///
    /// - Parameters:
    ///   - evaluation: Evaluated element (49) ‖ proof (96).
    ///   - copy: The sealed copy in ``slot``, 60 bytes.
    /// - Throws: ``CredentialsError/Code/cannotOpen`` for every failure, including a wrong proof.
    public func open(evaluation: [UInt8], copy: [UInt8]) throws(CredentialsError) -> UserKey {
        let output: SecretBytes
        do {
            output = try blinded.finalize(evaluation)
        } catch {
            throw CredentialsError(.cannotOpen)
        }
        return try SealedCopy.open(copy, under: output, slot: slot, context: context)
    }
}

/// Opening in direct mode, where the service does both halves.
///
/// These functions compute for as long as scrypt takes: 58 ms at the default cost, times the number of copies tried.
/// Run them in a bounded pool of threads.
///
/// A correct log-in costs one stretch per copy tried until one opens: a single one if all five answers are right. A
/// wrong one costs exactly 1, 4 or 10 stretches for 3, 4 or 5 answers. A decoy costs exactly as much, because the same
/// code runs on the same shapes and does not know which of the two it processes.
extension SealedCredentials {
    /// Opens the user key with three to five answers, of which three must be right.
    ///
    /// - Throws: ``CredentialsError/Code/cannotOpen`` if no copy opens; ``CredentialsError/Code/notStored`` if answers
    ///   do not open this credential; ``CredentialsError/Code/secretInvalid`` if the seed is another credential's,
    ///   which is a fault of the service and not a wrong answer.
    public func open(answers: SuppliedAnswers, seed: OPRFSeed) throws(CredentialsError) -> UserKey {
        guard context.acceptsAnswers else { throw CredentialsError(.notStored) }
        return try open(answers.inputs(context), seed: seed)
    }

    /// Opens the user key with the passphrase: one evaluation and one stretch, right or wrong.
    ///
    /// - Throws: As ``open(answers:seed:)``.
    public func open(passphrase: Passphrase, seed: OPRFSeed) throws(CredentialsError) -> UserKey {
        guard context.acceptsPassphrase else { throw CredentialsError(.notStored) }
        return try open(
            [VOPRFInput(credentialId: context.credentialId, passphrase: passphrase.secret.bytes)], seed: seed)
    }

    private func open(_ inputs: [VOPRFInput], seed: OPRFSeed) throws(CredentialsError) -> UserKey {
        guard let slot = inputs.first?.slot else { throw CredentialsError(.atLeastThreeAnswersRequired) }
        let key = try seed.key(for: slot)
        guard try context.oprfKey(for: slot) == key.publicKey else { throw CredentialsError(.secretInvalid) }
        let evaluate = try key.evaluator()
        for input in inputs {
            do {
                return try SealedCopy.open(
                    try copy(in: input.slot), under: try evaluate(input), slot: input.slot, context: context)
            } catch {
                guard error.code == .cannotOpen else { throw error }
            }
        }
        throw CredentialsError(.cannotOpen)
    }
}
