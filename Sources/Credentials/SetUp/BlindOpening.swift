/// Blind mode, the client's half of opening: secrets in, blinded elements out; evaluations and copies in, key out.
///
/// The client asks for ``first()`` alone and for ``remaining()`` only when that did not open, so that a right log-in
/// costs the service one evaluation. All of it is one attempt.
public struct BlindOpening: Sendable, Redacted {
    private let context: OpeningContext
    private let inputs: [VOPRFInput]

    /// Prepares to open with three to five answers.
    ///
    /// - Throws: ``CredentialsError/Code/notStored`` when the answers do not open this credential.
    public init(context: OpeningContext, answers: SuppliedAnswers) throws(CredentialsError) {
        guard context.acceptsAnswers else { throw CredentialsError(.notStored) }
        self.context = context
        inputs = answers.inputs(context)
    }

    /// Prepares to open with the passphrase.
    ///
    /// - Throws: ``CredentialsError/Code/notStored`` when there is no passphrase.
    public init(context: OpeningContext, passphrase: Passphrase) throws(CredentialsError) {
        guard context.acceptsPassphrase else { throw CredentialsError(.notStored) }
        self.context = context
        inputs = [VOPRFInput(credentialId: context.credentialId, passphrase: passphrase.secret.bytes)]
    }

    /// The first element to have evaluated.
    public func first() throws(CredentialsError) -> BlindedRequest {
        guard let input = inputs.first else { throw CredentialsError(.atLeastThreeAnswersRequired) }
        return try BlindedRequest(input, context: context)
    }

    /// Elements for the subsets that the answers do not cover, six for four answers: the service evaluates all nine
    /// others or none, so that it does not learn how many answers were given.
    ///
    /// They are blinded random inputs; their evaluations are thrown away.
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

    /// The other elements, none for three answers or a passphrase, three for four and nine for five answers.
    public func remaining() throws(CredentialsError) -> [BlindedRequest] {
        var requests: [BlindedRequest] = []
        for input in inputs.dropFirst() { requests.append(try BlindedRequest(input, context: context)) }
        return requests
    }
}

/// One blinded element and what is needed to use its evaluation; it lives for one attempt on the client.
public struct BlindedRequest: Sendable, Redacted {
    /// The copy that the evaluation is for.
    public let slot: CopySlot
    /// The blinded element, 49 bytes: all that the service sees of the secret.
    public let element: [UInt8]
    private let blinded: BlindedInput
    private let context: OpeningContext

    init(_ input: VOPRFInput, context: OpeningContext) throws(CredentialsError) {
        blinded = try BlindedInput(input, for: try context.oprfKey(for: input.slot))
        slot = input.slot
        element = blinded.element
        self.context = context
    }

    /// Verifies the evaluation's proof, stretches the output and opens the copy; takes as long as scrypt does.
    ///
    /// - Parameters:
    ///   - evaluation: Evaluated element (49) ‖ proof (96).
    ///   - copy: The sealed copy in ``slot``, 60 bytes.
    /// - Throws: ``CredentialsError/Code/cannotOpen`` for every failure, a wrong proof included.
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
