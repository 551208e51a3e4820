extension TenureClient {
    /// Takes a change of credentials from its first step to its outcome, asking the person for the secret in force and
    /// then for the new credentials. After a refusal only what was refused is asked for again.
    ///
    /// - Throws: As ``complete(_:asking:)-(LoginStep,_)``.
    public func complete(_ step: CurrentSecretStep, asking prompts: any PromptProvider) async throws -> FlowOutcome {
        try await Self.decide(step.credentialsChanged, prompts)
        var next = try await Self.proved(step, prompts)
        var entered: NewUserCredentials?
        while true {
            let new: NewUserCredentials
            if let entered { new = entered } else { new = try await prompts.newCredentials(rules: next.rules) }
            do { return try await next.submit(new) } catch {
                guard let refusal = error as? TenureClientError, refusal.leavesFlowOpen,
                    // The person's entries are checked before anything is asked of the service in this step.
                    refusal.kind != .signingRefused, try await prompts.wasRefused(refusal)
                else { throw error }
                let isOfOld = [.answersIncorrect, .passphraseIncorrect].contains(refusal.kind)
                entered = isOfOld || refusal.isRetryable ? new : nil
                if isOfOld { next = try await Self.proved(step, prompts) }
            }
        }
    }

    private static func proved(
        _ step: CurrentSecretStep, _ prompts: any PromptProvider
    ) async throws -> NewCredentialsStep {
        try await repeating(prompts) { try await step.prove(try await current(step, prompts)) }
    }

    private static func current(
        _ step: CurrentSecretStep, _ prompts: any PromptProvider
    ) async throws -> CurrentSecret {
        if step.asksForPassphrase {
            let reply = try await prompts.passphrase(questionsAllowed: step.questions != nil)
            if case .passphrase(let passphrase) = reply { return .passphrase(passphrase) }
        }
        guard let questions = step.questions else { throw TenureClientError(.wrongStep) }
        return .answers(try await prompts.answers(to: questions))
    }
}
