/// Asks the person at the device. Apps implement it with their own user interface; ``TerminalPrompts`` asks at a
/// terminal.
///
/// ```swift
/// let step = try await client.login(companyName: "acme.example", companyEmployeeId: "1001")
/// let outcome = try await client.complete(step, asking: TerminalPrompts())
/// ```
public protocol PromptProvider: Sendable {
    /// Asks for new credentials: five questions with answers, and optionally a passphrase.
    ///
    /// - Throws: Any error; it ends the flow's prompts and reaches the caller of `complete`.
    func newCredentials(rules: CredentialRules) async throws -> NewUserCredentials
    /// Asks for answers to at least three of the questions.
    ///
    /// - Throws: As ``newCredentials(rules:)``.
    func answers(to questions: [SecurityQuestion]) async throws -> [SecurityAnswer]
    /// Asks for the passphrase. `questionsAllowed` tells whether the person may answer the questions instead.
    ///
    /// - Throws: As ``newCredentials(rules:)``.
    func passphrase(questionsAllowed: Bool) async throws -> PassphraseReply
    /// Asks whether the person changed their credentials on another device, because this device has pinned different
    /// ones.
    ///
    /// - Returns: Whether to accept the credentials. A provider that does not ask returns `false`.
    /// - Throws: As ``newCredentials(rules:)``.
    func credentialsWereChanged(_ changed: UnfamiliarCredentials) async throws -> Bool
    /// Tells the person that an entry was refused.
    ///
    /// - Returns: Whether to ask again.
    /// - Throws: As ``newCredentials(rules:)``.
    func wasRefused(_ error: TenureClientError) async throws -> Bool
}

extension PromptProvider {
    /// Returns `false`: without a question there is no consent.
    public func credentialsWereChanged(_ changed: UnfamiliarCredentials) async throws -> Bool { false }
}

/// A person's reply to the question for the passphrase.
public enum PassphraseReply: Sendable, Hashable {
    case passphrase(String)
    /// The person prefers to answer the questions.
    case questions
}

extension TenureClient {
    /// Runs a registration from its first step to its outcome and asks the person for the entries.
    ///
    /// - Throws: The error of the last attempt if the person does not try again; `CancellationError` if the task is
    ///   cancelled.
    public func complete(_ step: RegistrationStep, asking prompts: any PromptProvider) async throws -> FlowOutcome {
        switch step {
        case .setCredentials(let step):
            try await Self.repeating(prompts) { try await step.submit(prompts.newCredentials(rules: step.rules)) }
        case .validateAnswers(let step): try await complete(LoginStep.validateAnswers(step), asking: prompts)
        case .validatePassphrase(let step): try await complete(LoginStep.validatePassphrase(step), asking: prompts)
        }
    }

    /// Runs a log-in from its first step to its outcome and asks the person for the entries.
    ///
    /// - Throws: The error of the last attempt if the person does not try again; `CancellationError` if the task is
    ///   cancelled.
    public func complete(_ step: LoginStep, asking prompts: any PromptProvider) async throws -> FlowOutcome {
        try await Self.decide(step.credentialsChanged, prompts)
        return try await Self.repeating(prompts) {
            switch step {
            case .validateAnswers(let step): return try await step.submit(prompts.answers(to: step.questions))
            case .validatePassphrase(let step):
                switch try await prompts.passphrase(questionsAllowed: step.alternative != nil) {
                case .passphrase(let passphrase): return try await step.submit(passphrase)
                case .questions:
                    guard let step = step.alternative else { throw TenureClientError(.wrongStep) }
                    return try await step.submit(prompts.answers(to: step.questions))
                }
            }
        }
    }

    /// Lets the person decide about credentials that this device does not know.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/credentialsChanged`` unless they are accepted.
    static func decide(_ changed: UnfamiliarCredentials?, _ prompts: any PromptProvider) async throws {
        guard let changed else { return }
        guard try await prompts.credentialsWereChanged(changed) else { throw TenureClientError(.credentialsChanged) }
        await changed.accept()
    }

    static func repeating<Result>(
        _ prompts: any PromptProvider, _ attempt: () async throws -> Result
    ) async throws -> Result {
        while true {
            do { return try await attempt() } catch {
                guard let refusal = error as? TenureClientError, refusal.leavesFlowOpen,
                    try await prompts.wasRefused(refusal)
                else { throw error }
            }
        }
    }
}

extension TenureClient {
    /// Runs a change of credentials from its first step to its outcome. Asks the person for the current secret and then
    /// for the new credentials. After a refusal it asks only for the refused entry again.
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
                    // In this step the person's entries are checked before any call to the service.
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

extension TenureClient {
    /// Completes an approved recovery and asks the person for the new credentials.
    ///
    /// If the flow expires while the person types, it is restarted with their entries.
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
                // The person's entries are checked before any call to the service.
                guard refusal.leavesFlowOpen, refusal.kind != .signingRefused, try await prompts.wasRefused(refusal)
                else { throw error }
                entered = refusal.isRetryable ? new : nil
            }
        }
    }
}
