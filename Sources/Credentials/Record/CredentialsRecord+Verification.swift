extension CredentialsRecord {
    /// Verifies every signature and link of the record.
    ///
    /// - Parameters:
    ///   - employeeKey: The device key of the flow in which the record was made.
    ///   - previous: The record before this one; `nil` for a user's first. It must be exactly the one that is named.
    /// - Throws: ``CredentialsError/Code/recordInvalid``, the one error for all.
    public func verify(
        employeeKey: EmployeePublicKey, previous: PreviousCredentials? = nil
    ) throws(CredentialsError) {
        let message = content.signedMessage
        guard content.sealed.context.userPublicKey.isValid(selfSignature, over: message),
            deviceSignature.map({ employeeKey.isValid($0, over: message) }) ?? (content.mode == .direct),
            follows(previous)
        else { throw CredentialsError(.recordInvalid) }
    }

    /// Compares the record with the plan of the flow that made it: ids, keys, cost, mode and predecessor.
    ///
    /// - Throws: ``CredentialsError/Code/recordInvalid``.
    public func require(_ plan: SetUpPlan) throws(CredentialsError) {
        let context = content.sealed.context
        guard context.credentialId == plan.credentialId, context.userId == plan.userId,
            context.oprfAnswers == plan.oprfAnswers,
            context.oprfPassphrase == nil || context.oprfPassphrase == plan.oprfPassphrase, context.kdf == plan.kdf,
            context.flags.contains(.blindOnly) == plan.blindOnly, content.mode == plan.mode, follows(plan.previous)
        else { throw CredentialsError(.recordInvalid) }
    }

    /// Checks the plaintexts of the five question texts against the commitments, in the record's order.
    ///
    /// - Throws: ``CredentialsError/Code/questionTextInvalid``.
    public func require(questions: [QuestionText]) throws(CredentialsError) {
        guard questions.map(\.commitment) == content.commitments else {
            throw CredentialsError(.questionTextInvalid)
        }
    }

    private func follows(_ previous: PreviousCredentials?) -> Bool {
        guard let previous else { return content.authority == .initial }
        guard content.previousHash == previous.hash, content.generation == previous.generation &+ 1 else {
            return false
        }
        switch content.authority {
        case .initial: return false
        case .changed(let signature):
            return previous.userPublicKey?.isValid(signature, over: content.changeMessage) ?? false
        case .recovered: return true
        }
    }
}
