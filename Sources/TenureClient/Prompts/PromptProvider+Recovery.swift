extension TenureClient {
    /// Takes an approved recovery to its outcome, asking the person for the new credentials.
    ///
    /// When the person types longer than a flow lives, it is begun anew with what they typed.
    ///
    /// - Throws: As ``complete(_:asking:)-(LoginStep,_)``.
    public func complete(
        _ step: RecoveredCredentialsStep, asking prompts: any PromptProvider
    ) async throws -> FlowOutcome {
        var step = step
        var entered: NewUserCredentials?
        while true {
            let isRepeated = entered != nil
            let new: NewUserCredentials
            if let entered { new = entered } else { new = try await prompts.newCredentials(rules: step.rules) }
            do { return try await step.submit(new) } catch {
                guard let refusal = error as? TenureClientError else { throw error }
                if refusal.kind == .flowExpired, !isRepeated {
                    step = try await step.again()
                    entered = new
                    continue
                }
                // The person's entries are checked before anything is asked of the service.
                guard refusal.leavesFlowOpen, refusal.kind != .signingRefused, try await prompts.wasRefused(refusal)
                else { throw error }
                entered = refusal.isRetryable ? new : nil
            }
        }
    }
}
