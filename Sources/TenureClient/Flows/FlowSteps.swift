import Credentials
public import TenureAPI

/// The next step of a registration.
public enum RegistrationStep: Sendable {
    /// A new user must choose five questions with answers, and optionally a passphrase.
    case setCredentials(SetCredentialsStep)
    /// An existing user must answer at least three of the five questions.
    case validateAnswers(AnswersStep)
    /// An existing user must enter the passphrase.
    case validatePassphrase(PassphraseStep)
}

/// The next step of a log-in.
public enum LoginStep: Sendable {
    /// The user must answer at least three of the five questions.
    case validateAnswers(AnswersStep)
    /// The user must enter the passphrase.
    case validatePassphrase(PassphraseStep)
}

/// The step that sets a new user's credentials. Call ``submit(_:)``.
///
/// A step can be stored and used from any task. It ends with the outcome of its flow. Later calls throw
/// ``TenureClientError/Code/flowEnded``.
///
/// ```swift
/// let next = try await client.register(
///     companyName: "acme.example", companyEmployeeId: "1001", email: "zoe@acme.example")
/// if case .setCredentials(let step) = next {
///     let outcome = try await step.submit(NewUserCredentials(questions: fiveQuestions, passphrase: passphrase))
/// }
/// ```
public struct SetCredentialsStep: Sendable {
    let flow: OpenFlow
    /// The rules that the credentials must satisfy.
    public let rules: CredentialRules

    /// Sets the credentials, which completes the registration.
    ///
    /// - Throws: ``TenureClientError``, for example `credentials.too_weak` or `employee.already_registered`. After an
    ///   unacceptable entry the step stays open.
    public func submit(_ credentials: NewUserCredentials) async throws -> FlowOutcome {
        try await flow.submit(.newCredentials(credentials))
    }
}

/// The step that answers the questions. Call ``submit(_:)`` with three to five answers.
///
/// ```swift
/// if case .validateAnswers(let step) = try await client.login(
///     companyName: "acme.example", companyEmployeeId: "1001")
/// {
///     let answers = zip(step.questions, entered).map { SecurityAnswer(questionId: $0.questionId, answer: $1) }
///     let outcome = try await step.submit(answers)
/// }
/// ```
public struct AnswersStep: Sendable {
    let flow: OpenFlow
    /// The account's credentials, if this device does not know them. The person must confirm first that they changed
    /// them.
    public let credentialsChanged: UnfamiliarCredentials?
    /// The five questions.
    public let questions: [SecurityQuestion]

    /// Submits answers. Correct answers complete the flow.
    ///
    /// - Throws: ``TenureClientError``: `answers.incorrect` in direct mode or ``TenureClientError/Code/signingRefused``
    ///   in blind mode if they are wrong; the step stays open then. `credentials.locked` if the attempt budget is
    ///   exhausted.
    public func submit(_ answers: [SecurityAnswer]) async throws -> FlowOutcome {
        try await flow.submit(.answers(answers))
    }
}

/// The step that asks for the passphrase. Call ``submit(_:)``.
///
/// ```swift
/// if case .validatePassphrase(let step) = try await client.login(
///     companyName: "acme.example", companyEmployeeId: "1001")
/// {
///     let outcome = try await step.submit(passphrase)
/// }
/// ```
public struct PassphraseStep: Sendable {
    let flow: OpenFlow
    /// The account's credentials, if this device does not know them. The person must confirm first that they changed
    /// them.
    public let credentialsChanged: UnfamiliarCredentials?
    /// The step that accepts answers instead, if the user allowed that; otherwise `nil`.
    public let alternative: AnswersStep?

    /// Submits the passphrase. The correct one completes the flow.
    ///
    /// - Throws: ``TenureClientError``: `passphrase.incorrect` in direct mode or
    ///   ``TenureClientError/Code/signingRefused`` in blind mode if it is wrong; the step stays open then.
    ///   `credentials.locked` if the attempt budget is exhausted.
    public func submit(_ passphrase: String) async throws -> FlowOutcome {
        try await flow.submit(.passphrase(passphrase))
    }
}

extension RegistrationStep {
    init(
        _ response: FlowOutcomeResponse, _ flow: OpenFlow, _ changed: UnfamiliarCredentials?
    ) throws(TenureClientError) {
        if case .setCredentials(_, let rules, _) = response {
            self = .setCredentials(SetCredentialsStep(flow: flow, rules: CredentialRules(rules)))
            return
        }
        self = RegistrationStep(try LoginStep(response, flow, changed))
    }

    /// The account's credentials, if this device does not know them. The person must confirm first that they changed
    /// them.
    public var credentialsChanged: UnfamiliarCredentials? {
        switch self {
        case .setCredentials: nil
        case .validateAnswers(let step): step.credentialsChanged
        case .validatePassphrase(let step): step.credentialsChanged
        }
    }

    /// Converts a log-in step to the same step of a registration.
    init(_ step: LoginStep) {
        switch step {
        case .validateAnswers(let step): self = .validateAnswers(step)
        case .validatePassphrase(let step): self = .validatePassphrase(step)
        }
    }
}

extension LoginStep {
    /// A flow cannot end before a secret is proved, so any other outcome is invalid here.
    init(
        _ response: FlowOutcomeResponse, _ flow: OpenFlow, _ changed: UnfamiliarCredentials?
    ) throws(TenureClientError) {
        func answers(_ questions: [QuestionResponse]) -> AnswersStep {
            AnswersStep(flow: flow, credentialsChanged: changed, questions: questions.map(SecurityQuestion.init))
        }
        switch response {
        case .validateAnswers(_, let questions, _): self = .validateAnswers(answers(questions))
        case .validatePassphrase(_, let questions, _):
            self = .validatePassphrase(
                PassphraseStep(flow: flow, credentialsChanged: changed, alternative: questions.map(answers)))
        case .success, .authorizationPending, .setCredentials: throw TenureClientError(.responseInvalid)
        }
    }

    /// The account's credentials, if this device does not know them. The person must confirm first that they changed
    /// them.
    public var credentialsChanged: UnfamiliarCredentials? { RegistrationStep(self).credentialsChanged }
}

extension TenureClient {
    /// Creates a client for the service that the app credentials name.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/baseURLMissing`` if they name no service.
    public init(
        appCredentials: AppCredentials, transport: any Transport = URLSessionTransport(),
        retries: RetryPolicy = RetryPolicy(), issuer: String? = nil, mode: Mode = .automatic,
        keyStore: any DeviceKeyStore = PlatformKeyStore.standard(),
        sessionStore: any SessionStore = PlatformSessionStore.standard(), pinStore: any PinStore = FilePinStore(),
        languages: [String] = []
    ) throws(TenureClientError) {
        guard let baseURL = appCredentials.baseURL else { throw TenureClientError(.baseURLMissing) }
        self.init(
            baseURL: baseURL, appCredentials: appCredentials, transport: transport, retries: retries, issuer: issuer,
            mode: mode, keyStore: keyStore, sessionStore: sessionStore, pinStore: pinStore,
            languages: languages)
    }

    /// Returns the name of an account at this service.
    public func account(companyName: String, companyEmployeeId: String) -> AccountName {
        AccountName(issuer: issuer ?? baseURL, companyName: companyName, companyEmployeeId: companyEmployeeId)
    }

    /// Starts a registration: presents this device's key and proves possession of it. Creates the key if there is none.
    ///
    /// Requires a secret with CREATION. The service records nothing before the last step, so a registration can be
    /// abandoned at any time.
    ///
    /// - Parameters:
    ///   - companyName: The tenant. The first registration founds it, unless `intent` says `join`.
    ///   - companyEmployeeId: The id that the person shall have in the tenant.
    ///   - email: The person's e-mail address.
    ///   - isCompanyOwnedEmail: Whether the address is claimed to be the tenant's own.
    ///   - invitation: The invitation that an admin gave to the person. Required if the tenant admits only invited
    ///     people.
    ///   - intent: Whether the person means to join the tenant or to found it. Pass it wherever the app knows: a typing
    ///     error in the name then founds nothing.
    /// - Throws: ``TenureClientError``: `registration.invitation_required`, or `invitation.invalid` if the invitation
    ///   was used, was revoked, has expired, or is for another employee id or address. `company.unknown` if there is no
    ///   such tenant to join, or `company.already_founded`.
    public func register(
        companyName: String, companyEmployeeId: String, email: String, isCompanyOwnedEmail: Bool = false,
        invitation: String? = nil, intent: RegistrationRequest.Intent? = nil
    ) async throws -> RegistrationStep {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        let key = try await keyStore.keyOrNew(of: account)
        let flow = try await startRegistration(
            company: companyName, employee: companyEmployeeId, email: email, isCompanyOwnedEmail: isCompanyOwnedEmail,
            invitation: invitation, intent: intent, key: key)
        let response = try await proveKey(flow, key: key)
        let (open, changed) = try await open(
            FlowContext(client: self, account: account, key: key, flow: flow, asked: response))
        return try RegistrationStep(response, open, changed)
    }

    /// Starts a log-in: presents this device's key and proves possession of it. Creates the key if there is none.
    ///
    /// Requires a secret with ACCESS.
    ///
    /// - Throws: ``TenureClientError``, for example `app.role_missing`, or ``TenureClientError/Code/signingRefused`` if
    ///   the service's challenge is not for this log-in.
    public func login(companyName: String, companyEmployeeId: String) async throws -> LoginStep {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        let key = try await keyStore.keyOrNew(of: account)
        let flow = try await startLogin(company: companyName, employee: companyEmployeeId, key: key)
        let response = try await proveKey(flow, key: key)
        let (open, changed) = try await open(
            FlowContext(client: self, account: account, key: key, flow: flow, asked: response))
        return try LoginStep(response, open, changed)
    }

    /// Starts a change of credentials: presents this device's key, which must be authorized, and proves possession of
    /// it.
    ///
    /// Requires a secret with ACCESS and no session.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/notLoggedIn`` if this device has no key of the
    ///   account.
    public func changeCredentials(companyName: String, companyEmployeeId: String) async throws -> CurrentSecretStep {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        guard let key = try await keyStore.key(of: account) else { throw TenureClientError(.notLoggedIn) }
        let flow = try await startChange(company: companyName, employee: companyEmployeeId, key: key)
        let response = try await proveKey(flow, key: key)
        let (open, changed) = try await open(
            FlowContext(client: self, account: account, key: key, flow: flow, asked: response))
        return try CurrentSecretStep(response, open, changed)
    }

    /// Returns the session of an account that this device has stored, also from an earlier run of the program; `nil` if
    /// there is none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func session(companyName: String, companyEmployeeId: String) async throws -> EmployeeSession? {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        let session = EmployeeSession(client: self, account: account)
        return try await sessions.keeper(of: account).isOpen() ? session : nil
    }

    /// Returns the fingerprint of this device's key of an account; `nil` if there is none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid``.
    public func fingerprint(of account: AccountName) async throws -> String? {
        try await keyStore.key(of: account)?.publicKey.fingerprint
    }
}
