extension TenureCore {
    /// Registers an employee.
    ///
    /// - Parameters:
    ///   - companyName: The company, preferably a domain; founded by its first registration.
    ///   - companyEmployeeId: The employee's id, unique in the company.
    ///   - email: The user's address; it links the employee with the user who has these credentials.
    ///   - isCompanyOwnedEmail: Whether the address is claimed to be the company's own.
    ///   - appCredentials: Names the app and the service.
    ///   - newUserCredentialsCallback: Is called when a new user has to choose credentials; leads to
    ///     ``setNewUserCredentials(_:passphrase:questionsWithPassphrase:authorizeEmployeeCallback:success:failure:)``.
    ///   - securityQuestionsCallback: Is called with the questions of a user who exists; leads to
    ///     ``validateSecurityQuestions(_:authorizeEmployeeCallback:success:failure:)``.
    ///   - passphraseCallback: Is called when the passphrase of a user who exists is wanted; leads to
    ///     ``validatePassphrase(_:authorizeEmployeeCallback:success:failure:)``.
    ///   - authorizeEmployeeCallback: Is called with this device's public key when it has to be authorized.
    ///   - success: Is called when the employee is in.
    ///   - failure: Is called when it ends otherwise.
    public func register(
        withCompanyName companyName: String, companyEmployeeId: String, email: String,
        isCompanyOwnedEmail: Bool = false, appCredentials: AppCredentials,
        newUserCredentialsCallback: (@MainActor @Sendable () -> Void)? = nil,
        securityQuestionsCallback: (@MainActor @Sendable ([SecurityQuestion]) -> Void)? = nil,
        passphraseCallback: (@MainActor @Sendable () -> Void)? = nil,
        authorizeEmployeeCallback: (@MainActor @Sendable (String) -> Void)? = nil,
        success: @escaping @MainActor @Sendable () -> Void,
        failure: @escaping @MainActor @Sendable (TenureClientError) -> Void
    ) {
        let asking = FlowQuestions(
            credentials: newUserCredentialsCallback, answers: securityQuestionsCallback, passphrase: passphraseCallback)
        let ending = FlowEnding(authorizeEmployee: authorizeEmployeeCallback, success: success, failure: failure)
        run(appCredentials, ending, asking) { client in
            try await client.register(
                companyName: companyName, companyEmployeeId: companyEmployeeId, email: email,
                isCompanyOwnedEmail: isCompanyOwnedEmail)
        }
    }

    /// Logs an employee in.
    ///
    /// - Parameters:
    ///   - companyName: The company, as at the registration.
    ///   - companyEmployeeId: The employee's id, as at the registration.
    ///   - securityQuestionsCallback: Is called with the questions; leads to
    ///     ``validateSecurityQuestions(_:authorizeEmployeeCallback:success:failure:)``.
    ///   - passphraseCallback: Is called when the passphrase is wanted; leads to
    ///     ``validatePassphrase(_:authorizeEmployeeCallback:success:failure:)``.
    ///   - appCredentials: Names the app and the service.
    ///   - authorizeEmployeeCallback: Is called with this device's public key when it has to be authorized.
    ///   - success: Is called when the employee is in.
    ///   - failure: Is called when it ends otherwise.
    public func login(
        withCompanyName companyName: String, companyEmployeeId: String,
        securityQuestionsCallback: (@MainActor @Sendable ([SecurityQuestion]) -> Void)? = nil,
        passphraseCallback: (@MainActor @Sendable () -> Void)? = nil, appCredentials: AppCredentials,
        authorizeEmployeeCallback: (@MainActor @Sendable (String) -> Void)? = nil,
        success: @escaping @MainActor @Sendable () -> Void,
        failure: @escaping @MainActor @Sendable (TenureClientError) -> Void
    ) {
        let asking = FlowQuestions(
            credentials: nil, answers: securityQuestionsCallback, passphrase: passphraseCallback)
        let ending = FlowEnding(authorizeEmployee: authorizeEmployeeCallback, success: success, failure: failure)
        run(appCredentials, ending, asking) { client in
            let step = try await client.login(companyName: companyName, companyEmployeeId: companyEmployeeId)
            return RegistrationStep(step)
        }
    }

    /// Goes to the first question of a flow and asks it: by the callback, or by the prompts where there is none.
    private func run(
        _ appCredentials: AppCredentials, _ ending: FlowEnding, _ asking: FlowQuestions,
        _ start: @Sendable @escaping (TenureClient) async throws -> RegistrationStep
    ) {
        let configuration = configuration
        begin(ending).run { [self] flow in await go(flow, configuration, appCredentials, asking, start) }
    }

    private func go(
        _ flow: CallbackFlow, _ configuration: Configuration, _ appCredentials: AppCredentials,
        _ asking: FlowQuestions, _ start: (TenureClient) async throws -> RegistrationStep
    ) async {
        do {
            let client = try configuration.client(of: appCredentials)
            let step = try await start(client)
            if let ask = asking.callback(for: step) {
                try await Self.decide(step, configuration)
                if flow.ask(step.question) { await ask() }
                return
            }
            guard let prompts = configuration.prompts else { throw TenureClientError(.promptRequired) }
            let outcome = try await client.complete(step, asking: prompts)
            await finish(flow, .success(outcome))
        } catch { await finish(flow, .failure(TenureClientError(describing: error))) }
    }

    /// No callback asks about credentials that this device does not know, so the prompts do.
    private static func decide(_ step: RegistrationStep, _ configuration: Configuration) async throws {
        guard let changed = step.credentialsChanged else { return }
        guard let prompts = configuration.prompts else { throw TenureClientError(.credentialsChanged) }
        try await TenureClient.decide(changed, prompts)
    }
}

/// The callbacks that ask.
struct FlowQuestions: Sendable {
    let credentials: (@MainActor @Sendable () -> Void)?
    let answers: (@MainActor @Sendable ([SecurityQuestion]) -> Void)?
    let passphrase: (@MainActor @Sendable () -> Void)?

    /// The call that asks for this step; `nil` when the app left it out.
    func callback(for step: RegistrationStep) -> (@MainActor @Sendable () -> Void)? {
        switch step {
        case .setCredentials: return credentials
        case .validatePassphrase: return passphrase
        case .validateAnswers(let step):
            guard let answers else { return nil }
            return { answers(step.questions) }
        }
    }
}

extension RegistrationStep {
    var question: CallbackFlow.Question {
        switch self {
        case .setCredentials(let step): .credentials(step)
        case .validateAnswers(let step): .answers(step)
        case .validatePassphrase(let step): .passphrase(step)
        }
    }
}

extension TenureCore.Configuration {
    func client(of app: AppCredentials) throws -> TenureClient {
        try TenureClient(
            appCredentials: app, transport: transport, retries: retries, mode: mode, keyStore: keyStore,
            sessionStore: sessionStore, pinStore: pinStore)
    }
}
