public import Canonical
import Credentials
public import TenureAPI

/// The user's current secret, which authorizes a change of credentials.
public enum CurrentSecret: Sendable, Hashable, Redacted {
    /// Three to five answers to the questions that were shown.
    case answers([SecurityAnswer])
    case passphrase(String)
}

/// The first step of a change of credentials. Call ``prove(_:)`` with the current secret.
///
/// ```swift
/// let step = try await client.changeCredentials(companyName: "acme.example", companyEmployeeId: "1001")
/// let next = try await step.prove(.passphrase(passphrase))
/// let outcome = try await next.submit(NewUserCredentials(questions: fiveQuestions, passphrase: newPassphrase))
/// ```
public struct CurrentSecretStep: Sendable {
    let flow: OpenFlow
    /// The account's credentials, if this device does not know them. The person must confirm first that they changed
    /// them.
    public let credentialsChanged: UnfamiliarCredentials?
    /// Whether the service asks for the passphrase. If `false`, it asks for answers.
    public let asksForPassphrase: Bool
    /// The five questions; `nil` if the user has a passphrase and did not allow answers instead.
    public let questions: [SecurityQuestion]?

    /// Proves the current secret and returns the step that sets the new credentials.
    ///
    /// In blind mode the call goes to the service at once, and the next step keeps the old user key to sign the new
    /// record. In direct mode both secrets are sent in one call, so ``NewCredentialsStep/submit(_:)`` reports a wrong
    /// current secret. In that case call this method again.
    ///
    /// - Throws: ``TenureClientError``, as ``PassphraseStep/submit(_:)`` and ``AnswersStep/submit(_:)``. After a wrong
    ///   secret the step stays open.
    public func prove(_ current: CurrentSecret) async throws -> NewCredentialsStep {
        let proved = try await flow.prove(current)
        return NewCredentialsStep(flow: flow, proved: proved, rules: proved.rules)
    }
}

/// The second step of a change. Call ``submit(_:)`` with the five new questions and the new passphrase, if any.
public struct NewCredentialsStep: Sendable {
    let flow: OpenFlow
    let proved: ProvedSecret
    /// The rules that the new credentials must satisfy.
    public let rules: CredentialRules

    /// Replaces the credentials. The old ones stop working, and every other session of the user ends, in all tenants.
    ///
    /// - Throws: ``TenureClientError``: in direct mode `answers.incorrect` or `passphrase.incorrect` if the current
    ///   secret was wrong; `authorization.not_permitted` if this device is not authorized; `request.stale` if the
    ///   credentials were changed elsewhere in the meantime.
    public func submit(_ credentials: NewUserCredentials) async throws -> FlowOutcome {
        try await flow.submit(.change(proved, credentials))
    }
}

/// The current secret, after the step that proves it.
enum ProvedSecret: Sendable {
    /// Direct mode: sent with the new credentials in one call.
    case direct(CurrentSecret)
    /// Blind mode: it opened the old user key, and the service returned the plan of the new record.
    case blind(TenureClient.Opened)

    /// The rules from the service. In direct mode the service was not asked yet, so they are the defaults.
    var rules: CredentialRules {
        if case .blind(let opened) = self, case .setCredentials(_, let rules, _) = opened.outcome {
            return CredentialRules(rules)
        }
        return CredentialRules(questionCount: 5, passphraseMinimumLength: 8, questionsWithPassphraseAllowed: true)
    }
}

extension CurrentSecretStep {
    /// A flow cannot end before the secret is proved, so any other outcome is invalid here.
    init(
        _ response: FlowOutcomeResponse, _ flow: OpenFlow, _ changed: UnfamiliarCredentials?
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

/// Changes credentials with the current secret, on an authorized device.
extension TenureClient {
    /// Starts a change of credentials. Requires a secret with ACCESS.
    ///
    /// Call ``proveKey(_:key:)`` next; its outcome tells which current secret the service asks for.
    ///
    /// - Throws: ``TenureClientError``.
    public func startChange(company: String, employee: String, key: some DeviceKey) async throws -> Flow {
        let request = LoginRequest(
            companyName: company, companyEmployeeId: employee, employeePublicKey: key.publicKey.bytes)
        let started = try await call(.startChange, body: request, FlowStartedResponse.self)
        return Flow(.change, started, company: company, employee: employee, key: key.publicKey)
    }

    /// Changes credentials in direct mode: the current secret and the new credentials are sent over TLS.
    ///
    /// Removes this device's pin of the account, because the change replaces the credential.
    ///
    /// - Throws: ``TenureClientError``, for example `answers.incorrect`, `passphrase.incorrect` or `policy.blind_only`.
    public func changeCredentials(
        _ flow: Flow, current: CredentialsChangeRequest.Current, to new: CredentialsRequest, pins: some PinStore
    ) async throws -> FlowOutcomeResponse {
        let outcome: FlowOutcomeResponse = try await call(
            .changeCredentials, ["flow": flow.handle],
            body: CredentialsChangeRequest(current: current, credentials: new))
        try await forgetPin(of: flow, pins)
        return outcome
    }

    /// Changes credentials in blind mode: neither the current secret nor the new credentials leave the device.
    ///
    /// The old credential must be the pinned or the accepted one, if this device has a pin. The new one replaces the
    /// pin.
    ///
    /// - Parameters:
    ///   - flow: The flow, after ``proveKey(_:key:)``.
    ///   - asked: The outcome of ``proveKey(_:key:)``.
    ///   - current: The current answers or passphrase.
    ///   - new: Five questions with answers, and an optional passphrase.
    ///   - blindOnly: Whether the service must refuse direct mode for the new credentials.
    ///   - key: The device key with which the flow was started.
    ///   - pins: The store of this device's pins.
    ///   - accepted: The credential that the person confirmed as theirs, from ``shownCredentials(_:_:)``, if another
    ///     one is pinned.
    /// - Throws: ``TenureClientError``, as the set-up in blind mode.
    public func changeBlindCredentials(
        _ flow: Flow, _ asked: FlowOutcomeResponse, current: CredentialsChangeRequest.Current,
        to new: CredentialsRequest, blindOnly: Bool = false, key: some DeviceKey, pins: some PinStore,
        accepting accepted: CredentialPin? = nil
    ) async throws -> FlowOutcomeResponse {
        let opened = try await openCurrent(current, flow, asked, pins: pins, accepting: accepted)
        return try await replace(opened, with: new, in: flow, blindOnly: blindOnly, key: key, pins: pins)
    }

    /// Opens the credential to be replaced and proves the secret to the service.
    func openCurrent(
        _ current: CredentialsChangeRequest.Current, _ flow: Flow, _ asked: FlowOutcomeResponse, pins: some PinStore,
        accepting accepted: CredentialPin?
    ) async throws -> Opened {
        switch current {
        case .answers(let answers):
            try await openAnswers(flow, asked, answers: answers, pins: pins, accepting: accepted)
        case .passphrase(let text):
            try await openPassphrase(flow, asked, passphrase: text, pins: pins, accepting: accepted)
        }
    }

    /// Builds the record that replaces the opened one, signs it with the old user key and sends it.
    func replace(
        _ opened: Opened, with new: CredentialsRequest, in flow: Flow, blindOnly: Bool = false, key: some DeviceKey,
        pins: some PinStore
    ) async throws -> FlowOutcomeResponse {
        let challenge = try flow.checkedChallenge(app: credentials.appId)
        let plan = try Self.plan(opened.outcome, replacing: opened, blindOnly: blindOnly)
        guard plan.credentialId != challenge.fields.credential else { throw TenureClientError(.signingRefused) }
        return try await handIn(
            new, flow, challenge, plan, authority: .changed(oldKey: opened.userKey), key: key, pins: pins)
    }

    func forgetPin(of flow: Flow, _ pins: some PinStore) async throws {
        try await pins.forget(PinnedAccount(baseURL: baseURL, company: flow.company, employee: flow.employee))
    }
}
