extension TenureCore {
    /// Sets the credentials of a new user, which completes the registration that asked for them.
    ///
    /// - Parameters:
    ///   - securityQuestionsAnswers: Five questions with answers.
    ///   - passphrase: A passphrase, or nil.
    ///   - questionsWithPassphrase: Whether the questions may be answered in the place of the passphrase.
    ///   - authorizeEmployeeCallback: Is called with this device's public key when it has to be authorized.
    ///   - success: Is called when the employee is in.
    ///   - failure: Is called when it ends otherwise, or when the credentials were refused and can be set again.
    public func setNewUserCredentials(
        _ securityQuestionsAnswers: [SecurityQuestionAnswer], passphrase: String? = nil,
        questionsWithPassphrase: Bool = false,
        authorizeEmployeeCallback: (@MainActor @Sendable (String) -> Void)? = nil,
        success: @escaping @MainActor @Sendable () -> Void,
        failure: @escaping @MainActor @Sendable (TenureClientError) -> Void
    ) {
        let new = NewUserCredentials(
            questions: securityQuestionsAnswers, passphrase: passphrase,
            questionsWithPassphrase: questionsWithPassphrase)
        let ending = FlowEnding(authorizeEmployee: authorizeEmployeeCallback, success: success, failure: failure)
        proceed(ending) { question in
            guard case .credentials(let step) = question else { throw TenureClientError(.wrongStep) }
            return try await step.submit(new)
        }
    }

    /// Validates answers to the questions that were asked.
    ///
    /// - Parameters:
    ///   - answers: Three to five answers.
    ///   - authorizeEmployeeCallback: Is called with this device's public key when it has to be authorized.
    ///   - success: Is called when the employee is in.
    ///   - failure: Is called when it ends otherwise, or when the answers are wrong and can be given again.
    public func validateSecurityQuestions(
        _ answers: [SecurityAnswer], authorizeEmployeeCallback: (@MainActor @Sendable (String) -> Void)? = nil,
        success: @escaping @MainActor @Sendable () -> Void,
        failure: @escaping @MainActor @Sendable (TenureClientError) -> Void
    ) {
        let ending = FlowEnding(authorizeEmployee: authorizeEmployeeCallback, success: success, failure: failure)
        proceed(ending) { question in
            switch question {
            case .answers(let step): return try await step.submit(answers)
            case .passphrase(let step):
                guard let step = step.alternative else { throw TenureClientError(.wrongStep) }
                return try await step.submit(answers)
            case .credentials: throw TenureClientError(.wrongStep)
            }
        }
    }

    /// Validates the passphrase that was asked for.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase.
    ///   - authorizeEmployeeCallback: Is called with this device's public key when it has to be authorized.
    ///   - success: Is called when the employee is in.
    ///   - failure: Is called when it ends otherwise, or when the passphrase is wrong and can be given again.
    public func validatePassphrase(
        _ passphrase: String, authorizeEmployeeCallback: (@MainActor @Sendable (String) -> Void)? = nil,
        success: @escaping @MainActor @Sendable () -> Void,
        failure: @escaping @MainActor @Sendable (TenureClientError) -> Void
    ) {
        let ending = FlowEnding(authorizeEmployee: authorizeEmployeeCallback, success: success, failure: failure)
        proceed(ending) { question in
            guard case .passphrase(let step) = question else { throw TenureClientError(.wrongStep) }
            return try await step.submit(passphrase)
        }
    }

    /// Lets a continuing call go on with the flow that asked; without one the call fails, and no flow notices.
    private func proceed(
        _ ending: FlowEnding, _ submit: @Sendable @escaping (CallbackFlow.Question) async throws -> FlowOutcome
    ) {
        guard let flow, let question = flow.take(ending) else {
            Task { await ending.report(.failure(TenureClientError(.wrongStep))) }
            return
        }
        flow.run { [self] flow in
            do {
                let outcome = try await submit(question)
                await finish(flow, .success(outcome))
            } catch { await finish(flow, .failure(TenureClientError(describing: error))) }
        }
    }
}
