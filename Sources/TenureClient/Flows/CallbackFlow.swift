import Foundation

/// One registration or log-in of the callback layer. It tracks whose callbacks are next and which call may continue.
///
/// `@unchecked Sendable`: `phase` and `task` are accessed only while `lock` is held.
final class CallbackFlow: @unchecked Sendable {
    /// The entry that the app must ask the person for.
    enum Question: Sendable {
        case credentials(SetCredentialsStep)
        case answers(AnswersStep)
        case passphrase(PassphraseStep)
    }

    private enum Phase {
        /// A call is running and will use its own callbacks.
        case working(FlowEnding, question: Question?)
        /// The app was asked. The next call brings its own callbacks.
        case asked(Question)
        case ended
    }

    private let lock = NSLock()
    /// The callbacks of the call that began the flow, used while no continuing call is running.
    private let beginning: FlowEnding
    private var phase: Phase
    private var task: Task<Void, Never>?

    init(_ beginning: FlowEnding) {
        self.beginning = beginning
        phase = .working(beginning, question: nil)
    }

    /// Runs a call of this flow. Cancelling the flow cancels the call.
    func run(_ work: @Sendable @escaping (CallbackFlow) async -> Void) {
        lock.withLock {
            if case .ended = phase { return }
            task = Task { await work(self) }
        }
    }

    /// Records that the app is asked now. Returns `false` if the flow has ended in the meantime; do not ask then.
    func ask(_ question: Question) -> Bool {
        lock.withLock {
            guard case .working = phase else { return false }
            phase = .asked(question)
            return true
        }
    }

    /// Hands the open question to a continuing call, whose callbacks are used from then on.
    func take(_ ending: FlowEnding) -> Question? {
        lock.withLock {
            guard case .asked(let question) = phase else { return nil }
            phase = .working(ending, question: question)
            return question
        }
    }

    /// Ends the running call with its result.
    ///
    /// - Returns: The callbacks to use; `nil` if the flow has ended in the meantime and its callbacks were used.
    func end(_ result: Result<FlowOutcome, TenureClientError>) -> FlowEnding? {
        lock.withLock {
            guard case .working(let ending, let question) = phase else { return nil }
            if case .failure(let error) = result, error.leavesFlowOpen, let question {
                phase = .asked(question)
            } else {
                phase = .ended
            }
            return ending
        }
    }

    /// Cancels the flow. The callbacks that are next receive `client.cancelled`.
    func cancel() {
        let (ending, running) = lock.withLock { () -> (FlowEnding?, Task<Void, Never>?) in
            let ending: FlowEnding? =
                switch phase {
                case .working(let ending, _): ending
                case .asked: beginning
                case .ended: nil
                }
            phase = .ended
            return (ending, task)
        }
        running?.cancel()
        guard let ending else { return }
        Task { await ending.report(.failure(TenureClientError(.cancelled))) }
    }
}

/// The callbacks of one call. Exactly one of them is called, once, on the main actor.
struct FlowEnding: Sendable {
    let authorizeEmployee: (@MainActor @Sendable (String) -> Void)?
    let success: @MainActor @Sendable () -> Void
    let failure: @MainActor @Sendable (TenureClientError) -> Void

    /// Calls the callback that belongs to an outcome. Without a callback for a pending authorization, calls `failure`.
    func report(_ result: Result<FlowOutcome, TenureClientError>) async {
        await MainActor.run {
            switch result {
            case .success(.success): success()
            case .success(.authorizationPending(let pending)):
                if let authorizeEmployee {
                    authorizeEmployee(pending.employeePublicKey)
                } else {
                    failure(TenureClientError(.authorizationPending))
                }
            case .failure(let error): failure(error)
            }
        }
    }
}

extension TenureCore {
    /// Registers an employee.
    ///
    /// - Parameters:
    ///   - companyName: The tenant, preferably a domain. The first registration founds it.
    ///   - companyEmployeeId: The employee's id, unique in the tenant.
    ///   - email: The user's e-mail address. It links the employee to the user who has these credentials.
    ///   - isCompanyOwnedEmail: Whether the address is claimed to be the tenant's own.
    ///   - appCredentials: The app's credentials and the address of the service.
    ///   - newUserCredentialsCallback: Called if a new user must choose credentials. Continue with
    ///     ``setNewUserCredentials(_:passphrase:questionsWithPassphrase:authorizeEmployeeCallback:success:failure:)``.
    ///   - securityQuestionsCallback: Called with the questions of an existing user. Continue with
    ///     ``validateSecurityQuestions(_:authorizeEmployeeCallback:success:failure:)``.
    ///   - passphraseCallback: Called if the passphrase of an existing user is required. Continue with
    ///     ``validatePassphrase(_:authorizeEmployeeCallback:success:failure:)``.
    ///   - authorizeEmployeeCallback: Called with this device's public key if the key must be authorized first.
    ///   - success: Called when the flow has opened a session.
    ///   - failure: Called if the flow ends otherwise.
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
    ///   - companyName: The tenant, as at registration.
    ///   - companyEmployeeId: The employee's id, as at registration.
    ///   - securityQuestionsCallback: Called with the questions. Continue with
    ///     ``validateSecurityQuestions(_:authorizeEmployeeCallback:success:failure:)``.
    ///   - passphraseCallback: Called if the passphrase is required. Continue with
    ///     ``validatePassphrase(_:authorizeEmployeeCallback:success:failure:)``.
    ///   - appCredentials: The app's credentials and the address of the service.
    ///   - authorizeEmployeeCallback: Called with this device's public key if the key must be authorized first.
    ///   - success: Called when the flow has opened a session.
    ///   - failure: Called if the flow ends otherwise.
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

    /// Runs a flow up to its first question and asks it, with the callback or with the prompts if there is no callback.
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

    /// Asks about credentials that this device does not know. No callback covers this, so the prompts ask.
    private static func decide(_ step: RegistrationStep, _ configuration: Configuration) async throws {
        guard let changed = step.credentialsChanged else { return }
        guard let prompts = configuration.prompts else { throw TenureClientError(.credentialsChanged) }
        try await TenureClient.decide(changed, prompts)
    }
}

/// The callbacks that ask the person.
struct FlowQuestions: Sendable {
    let credentials: (@MainActor @Sendable () -> Void)?
    let answers: (@MainActor @Sendable ([SecurityQuestion]) -> Void)?
    let passphrase: (@MainActor @Sendable () -> Void)?

    /// Returns the call that asks for this step, or `nil` if the app did not provide the callback.
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
