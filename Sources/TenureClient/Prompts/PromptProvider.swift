/// Asks the person in front of the device. Apps write one that looks like them; ``TerminalPrompts`` asks at a terminal.
public protocol PromptProvider: Sendable {
    /// Asks a new user, or one who changes credentials, for five questions with answers, and perhaps a passphrase.
    func newCredentials(rules: CredentialRules) async throws -> NewUserCredentials
    /// Asks for answers to at least three of the questions.
    func answers(to questions: [SecurityQuestion]) async throws -> [SecurityAnswer]
    /// Asks for the passphrase; `questionsAllowed` tells whether the person may choose the questions instead.
    func passphrase(questionsAllowed: Bool) async throws -> PassphraseReply
    /// Asks whether the person changed their credentials on another device: those of the account are not the ones that
    /// this device knows.
    ///
    /// - Returns: Whether to take them for the account's. A provider that does not ask says no.
    func credentialsWereChanged(_ changed: ChangedCredentials) async throws -> Bool
    /// Tells the person that what was entered was refused.
    ///
    /// - Returns: Whether to ask again.
    func wasRefused(_ error: TenureClientError) async throws -> Bool
}

extension PromptProvider {
    /// No: who is not asked has not agreed.
    public func credentialsWereChanged(_ changed: ChangedCredentials) async throws -> Bool { false }
}

/// What a person entered when the passphrase was asked for.
public enum PassphraseReply: Sendable, Hashable {
    /// This one.
    case passphrase(String)
    /// The person wants to answer the questions instead.
    case questions
}

extension TenureClient {
    /// Takes a registration from its first step to its outcome, asking the person.
    ///
    /// - Throws: What the last try met, when the person does not want another; `CancellationError` when the task is
    ///   cancelled.
    public func complete(_ step: RegistrationStep, asking prompts: any PromptProvider) async throws -> FlowOutcome {
        switch step {
        case .setCredentials(let step):
            try await Self.repeating(prompts) { try await step.submit(prompts.newCredentials(rules: step.rules)) }
        case .validateAnswers(let step): try await complete(LoginStep.validateAnswers(step), asking: prompts)
        case .validatePassphrase(let step): try await complete(LoginStep.validatePassphrase(step), asking: prompts)
        }
    }

    /// Takes a login from its first step to its outcome, asking the person.
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
    static func decide(_ changed: ChangedCredentials?, _ prompts: any PromptProvider) async throws {
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
