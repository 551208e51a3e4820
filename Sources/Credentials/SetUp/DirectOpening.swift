/// Direct mode: the service does both halves. These functions compute for as long as scrypt takes (58 ms at the
/// default cost, times the number of copies tried) and belong in a bounded pool of threads of their own.
///
/// A right log-in costs one stretch per copy tried until one opens; with all five answers right that is one. A wrong
/// one costs exactly 1, 4 or 10 for 3, 4 or 5 answers, and a decoy costs exactly what a wrong one costs, because it is
/// the same code on the same shapes: nothing here knows which of the two it works on.
extension SealedCredentials {
    /// Opens the user key with three to five answers, of which three right ones suffice.
    ///
    /// - Throws: ``CredentialsError/Code/cannotOpen`` when no copy opens; ``CredentialsError/Code/notStored`` when the
    ///   answers do not open this credential; ``CredentialsError/Code/secretInvalid`` when the seed is another's,
    ///   which is a fault of the service and no wrong answer.
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
