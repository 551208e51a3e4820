import Foundation

/// Registration and log-in with callbacks, shaped like Bayun's library, as a thin layer over ``TenureClient``.
///
/// Each flow ends in exactly one callback, called once on the main actor: `success`, `failure`, or `authorizeEmployee`
/// if this device's key must be authorized first. Without that callback `failure` receives
/// `client.authorization_pending`.
///
/// ``register(withCompanyName:companyEmployeeId:email:isCompanyOwnedEmail:appCredentials:newUserCredentialsCallback:securityQuestionsCallback:passphraseCallback:authorizeEmployeeCallback:success:failure:)``
/// and `login` use their own callbacks until they have asked for an entry. The call that continues, such as
/// ``validatePassphrase(_:authorizeEmployeeCallback:success:failure:)``, uses the callbacks passed to it. After a wrong
/// answer it calls its `failure` and can be called again.
///
/// One instance runs one flow at a time; starting another flow cancels the open one. Create several instances for
/// concurrent flows.
///
/// ```swift
/// let core = TenureCore.sharedInstance()
/// core.login(
///     withCompanyName: "acme.example", companyEmployeeId: "1001",
///     passphraseCallback: { showPassphraseField() }, appCredentials: appCredentials,
///     success: { showHome() }, failure: { show($0) })
/// // When the person has entered the passphrase:
/// core.validatePassphrase(entered, success: { showHome() }, failure: { show($0) })
/// ```
///
/// `@unchecked Sendable`: mutable state is accessed only while `lock` is held.
public final class TenureCore: @unchecked Sendable {
    private static let shared = TenureCore()

    private let lock = NSLock()
    private var currentConfiguration: Configuration
    private var currentFlow: CallbackFlow?
    private var lastSession: EmployeeSession?

    /// Creates a separate instance.
    public init(configuration: Configuration = Configuration()) { currentConfiguration = configuration }

    deinit { currentFlow?.cancel() }

    /// Returns the instance that an app shares.
    public static func sharedInstance() -> TenureCore { shared }

    /// The options of the callback layer.
    public struct Configuration: Sendable {
        /// Sends the requests.
        public var transport: any Transport
        /// How often and how long calls are retried.
        public var retries: RetryPolicy
        /// How secrets are proved.
        public var mode: TenureClient.Mode
        /// The store of this device's keys.
        public var keyStore: any DeviceKeyStore
        /// The store of session tokens.
        public var sessionStore: any SessionStore
        /// The store of the pins of blind mode.
        public var pinStore: any PinStore
        /// Asks the person if a callback is `nil`; without prompts the flow then fails with `client.prompt_required`.
        /// Also asks whether the person changed credentials that this device does not know; without prompts the flow
        /// then fails with `client.credentials_changed`.
        public var prompts: (any PromptProvider)?

        /// Describes a configuration. The defaults are the platform's stores and no prompts.
        public init(
            transport: any Transport = URLSessionTransport(), retries: RetryPolicy = RetryPolicy(),
            mode: TenureClient.Mode = .automatic, keyStore: any DeviceKeyStore = PlatformKeyStore.standard(),
            sessionStore: any SessionStore = PlatformSessionStore.standard(), pinStore: any PinStore = FilePinStore(),
            prompts: (any PromptProvider)? = nil
        ) {
            self.transport = transport
            self.retries = retries
            self.mode = mode
            self.keyStore = keyStore
            self.sessionStore = sessionStore
            self.pinStore = pinStore
            self.prompts = prompts
        }
    }

    /// Sets the configuration of the flows that start from now on.
    public func configure(_ configuration: Configuration) { lock.withLock { currentConfiguration = configuration } }

    /// The session of the last successful flow.
    public var session: EmployeeSession? { lock.withLock { lastSession } }

    /// Cancels the open flow, if any. The callbacks that are next receive `client.cancelled`.
    public func cancel() { lock.withLock { currentFlow }?.cancel() }

    var configuration: Configuration { lock.withLock { currentConfiguration } }
    var flow: CallbackFlow? { lock.withLock { currentFlow } }

    /// Starts a flow and cancels the open one.
    func begin(_ ending: FlowEnding) -> CallbackFlow {
        let flow = CallbackFlow(ending)
        let old = lock.withLock {
            let old = currentFlow
            currentFlow = flow
            return old
        }
        old?.cancel()
        return flow
    }

    /// Ends a call of a flow and calls the callback for its result.
    func finish(_ flow: CallbackFlow, _ result: Result<FlowOutcome, TenureClientError>) async {
        guard let ending = flow.end(result) else { return }
        if case .success(.success(let admission)) = result { lock.withLock { lastSession = admission.session } }
        await ending.report(result)
    }
}

extension TenureCore {
    /// Sets the credentials of a new user, which completes the registration that asked for them.
    ///
    /// - Parameters:
    ///   - securityQuestionsAnswers: Five questions with answers.
    ///   - passphrase: The passphrase, or `nil` for none.
    ///   - questionsWithPassphrase: Whether the user may answer the questions instead of entering the passphrase.
    ///   - authorizeEmployeeCallback: Called with this device's public key if the key must be authorized first.
    ///   - success: Called when the flow has opened a session.
    ///   - failure: Called if the flow ends otherwise, or if the credentials were refused and can be set again.
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

    /// Submits answers to the questions that were asked.
    ///
    /// - Parameters:
    ///   - answers: Three to five answers.
    ///   - authorizeEmployeeCallback: Called with this device's public key if the key must be authorized first.
    ///   - success: Called when the flow has opened a session.
    ///   - failure: Called if the flow ends otherwise, or if the answers are wrong and can be given again.
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

    /// Submits the passphrase that was asked for.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase.
    ///   - authorizeEmployeeCallback: Called with this device's public key if the key must be authorized first.
    ///   - success: Called when the flow has opened a session.
    ///   - failure: Called if the flow ends otherwise, or if the passphrase is wrong and can be given again.
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

    /// Continues the flow that has asked for an entry. Without such a flow the call fails and no flow is affected.
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
