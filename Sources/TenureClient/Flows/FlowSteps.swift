import TenureAPI

/// What a registration asks for next.
public enum RegistrationStep: Sendable {
    /// A new user: five questions with answers, and perhaps a passphrase.
    case setCredentials(SetCredentialsStep)
    /// A user who exists answers three of the five questions.
    case validateAnswers(AnswersStep)
    /// A user who exists enters the passphrase.
    case validatePassphrase(PassphraseStep)
}

/// What a login asks for next.
public enum LoginStep: Sendable {
    /// Three of the five questions.
    case validateAnswers(AnswersStep)
    /// The passphrase.
    case validatePassphrase(PassphraseStep)
}

/// The next thing to call: ``submit(_:)`` with what the new user chose.
///
/// A step may be kept and used from any task. It ends with the one outcome of its flow; later calls throw
/// ``TenureClientError/Code/flowEnded``.
public struct SetCredentialsStep: Sendable {
    let flow: OpenFlow
    /// What the credentials must satisfy.
    public let rules: CredentialRules

    /// Sets the credentials, which completes the registration.
    public func submit(_ credentials: NewUserCredentials) async throws -> FlowOutcome {
        try await flow.submit(.newCredentials(credentials))
    }
}

/// The next thing to call: ``submit(_:)`` with three to five answers.
public struct AnswersStep: Sendable {
    let flow: OpenFlow
    /// What the person has to say something about first: whether they changed the credentials elsewhere.
    public let credentialsChanged: ChangedCredentials?
    /// The five questions.
    public let questions: [SecurityQuestion]

    /// Submits answers; right ones complete the flow.
    ///
    /// - Throws: ``TenureClientError`` with `answers.incorrect` when they are wrong; the step is open still.
    public func submit(_ answers: [SecurityAnswer]) async throws -> FlowOutcome {
        try await flow.submit(.answers(answers))
    }
}

/// The next thing to call: ``submit(_:)`` with the passphrase.
public struct PassphraseStep: Sendable {
    let flow: OpenFlow
    /// What the person has to say something about first: whether they changed the credentials elsewhere.
    public let credentialsChanged: ChangedCredentials?
    /// The questions in its place, when the user allowed that.
    public let alternative: AnswersStep?

    /// Submits the passphrase; the right one completes the flow.
    ///
    /// - Throws: ``TenureClientError`` with `passphrase.incorrect` when it is wrong; the step is open still.
    public func submit(_ passphrase: String) async throws -> FlowOutcome {
        try await flow.submit(.passphrase(passphrase))
    }
}

extension RegistrationStep {
    init(
        _ response: FlowOutcomeResponse, _ flow: OpenFlow, _ changed: ChangedCredentials?
    ) throws(TenureClientError) {
        if case .setCredentials(_, let rules, _) = response {
            self = .setCredentials(SetCredentialsStep(flow: flow, rules: CredentialRules(rules)))
            return
        }
        self = RegistrationStep(try LoginStep(response, flow, changed))
    }

    /// What the person has to say something about first: whether they changed the credentials elsewhere.
    public var credentialsChanged: ChangedCredentials? {
        switch self {
        case .setCredentials: nil
        case .validateAnswers(let step): step.credentialsChanged
        case .validatePassphrase(let step): step.credentialsChanged
        }
    }

    /// The same step: a registration may ask for everything that a login may.
    init(_ step: LoginStep) {
        switch step {
        case .validateAnswers(let step): self = .validateAnswers(step)
        case .validatePassphrase(let step): self = .validatePassphrase(step)
        }
    }
}

extension LoginStep {
    /// No flow ends before a challenge was passed, so that any other outcome is nothing this API answers here.
    init(
        _ response: FlowOutcomeResponse, _ flow: OpenFlow, _ changed: ChangedCredentials?
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

    /// What the person has to say something about first: whether they changed the credentials elsewhere.
    public var credentialsChanged: ChangedCredentials? { RegistrationStep(self).credentialsChanged }
}
