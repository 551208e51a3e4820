import TenureAPI

/// The secret that is in force: whoever changes credentials proves it first.
public enum CurrentSecret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Three to five answers to the questions that were shown.
    case answers([SecurityAnswer])
    /// The passphrase.
    case passphrase(String)

    /// Never the secret.
    public var description: String { "[redacted]" }
    /// Never the secret.
    public var debugDescription: String { description }
}

/// The next thing to call: ``prove(_:)`` with the secret that is in force.
public struct CurrentSecretStep: Sendable {
    let flow: OpenFlow
    /// What the person has to say something about first: whether they changed the credentials elsewhere.
    public let credentialsChanged: ChangedCredentials?
    /// Whether the passphrase is asked for; the answers otherwise, or in its place where there are questions.
    public let asksForPassphrase: Bool
    /// The five questions; `nil` for a user with a passphrase who did not allow them in its place.
    public let questions: [SecurityQuestion]?

    /// Proves the secret, and says what the new credentials must satisfy.
    ///
    /// In blind mode the service is asked at once, and the step that follows keeps the old user key, which signs the new
    /// credentials. In direct mode old and new go in one call, so that a wrong secret is told by
    /// ``NewCredentialsStep/submit(_:)``; call this again then.
    ///
    /// - Throws: ``TenureClientError`` as a login throws it; after a wrong secret the step is open still.
    public func prove(_ current: CurrentSecret) async throws -> NewCredentialsStep {
        let proved = try await flow.prove(current)
        return NewCredentialsStep(flow: flow, proved: proved, rules: proved.rules)
    }
}

/// The next thing to call: ``submit(_:)`` with what takes the place of all five questions and of the passphrase.
public struct NewCredentialsStep: Sendable {
    let flow: OpenFlow
    let proved: ProvedSecret
    /// What the credentials must satisfy.
    public let rules: CredentialRules

    /// Changes the credentials: the old ones open nothing any more, and every other session of the user ends, in all
    /// companies.
    ///
    /// - Throws: ``TenureClientError``: `answers.incorrect` or `passphrase.incorrect` in direct mode when the old secret
    ///   was wrong, `authorization.not_permitted` when this device is not authorized, `request.stale` when the credentials
    ///   were changed elsewhere meanwhile.
    public func submit(_ credentials: NewUserCredentials) async throws -> FlowOutcome {
        try await flow.submit(.change(proved, credentials))
    }
}

/// An old secret on its way to the change that it entitles to.
enum ProvedSecret: Sendable {
    /// Goes with the new credentials in one call.
    case direct(CurrentSecret)
    /// Has opened the old user key; the service told the plan of the new record.
    case blind(TenureClient.Opened)

    /// What the service told; in direct mode nothing was asked yet, and the usual rules hold.
    var rules: CredentialRules {
        if case .blind(let opened) = self, case .setCredentials(_, let rules, _) = opened.outcome {
            return CredentialRules(rules)
        }
        return CredentialRules(questionCount: 5, passphraseMinimumLength: 8, questionsWithPassphraseAllowed: true)
    }
}

extension CurrentSecretStep {
    /// No flow ends before the secret was proved, so that any other outcome is nothing this API answers here.
    init(
        _ response: FlowOutcomeResponse, _ flow: OpenFlow, _ changed: ChangedCredentials?
    ) throws(TenureClientError) {
        self.flow = flow
        credentialsChanged = changed
        switch response {
        case .validateAnswers(_, let shown, _):
            asksForPassphrase = false
            questions = shown.map(SecurityQuestion.init)
        case .validatePassphrase(_, let shown, _):
            asksForPassphrase = true
            questions = shown.map { $0.map(SecurityQuestion.init) }
        case .success, .authorizationPending, .setCredentials: throw TenureClientError(.responseInvalid)
        }
    }
}
