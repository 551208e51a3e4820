/// A set-up in blind mode between the blinding and the evaluations; it lives on the client.
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

    /// Verifies every evaluation and makes the credentials; stretches once per copy.
    ///
    /// - Parameter evaluations: One of 145 bytes for each of ``elements``, in their order.
    /// - Throws: ``CredentialsError/Code/evaluationInvalid`` when one is missing or its proof does not verify;
    ///   ``CredentialsError/Code/recordInvalid`` when the authority does not fit the plan.
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
