import Credentials
import ErrorCodes
import TenureAPI

/// A mode of the protocol: sends what a user entered to the service and returns the outcome.
protocol CredentialExchange: Sendable {
    /// Submits a user's entries.
    ///
    /// - Parameter keys: The idempotency keys of the calls, the same for every retry of one submission.
    func submit(
        _ submission: FlowSubmission, in flow: FlowContext, keys: SubmissionKeys
    ) async throws -> FlowOutcomeResponse

    /// Proves the current secret before a change, if the mode can do so separately.
    func prove(_ current: CurrentSecret, in flow: FlowContext) async throws -> ProvedSecret
}

/// The flow that a submission belongs to.
struct FlowContext: Sendable {
    let client: TenureClient
    let account: AccountName
    let key: any DeviceKey
    /// The flow's handle and challenge.
    let flow: TenureClient.Flow
    /// The service's response to the proof of the key.
    let asked: FlowOutcomeResponse
    /// The credentials that the person has accepted although this device has pinned others.
    var accepted: CredentialPin?
}

/// The idempotency keys of one submission, which may need several calls.
struct SubmissionKeys: Sendable {
    private let base = TenureClient.newKey()

    /// Returns the key for the named call.
    func key(_ call: String) -> String { base + "." + call }
}

/// Direct mode: one call with the secrets in its body.
struct DirectExchange: CredentialExchange {
    func submit(
        _ submission: FlowSubmission, in flow: FlowContext, keys: SubmissionKeys
    ) async throws -> FlowOutcomeResponse {
        let client = flow.client
        let purpose = flow.flow.purpose
        let endpoint: Endpoint =
            switch submission {
            case .newCredentials: purpose == .recovery ? .recoverCredentials : .setCredentials
            case .answers: flow.flow.answersEndpoint
            case .passphrase: flow.flow.passphraseEndpoint
            case .change: .changeCredentials
            }
        let outcome: FlowOutcomeResponse = try await client.call(
            endpoint, ["flow": flow.flow.handle], body: submission.body, idempotencyKey: keys.key("direct"))
        if purpose == .change || purpose == .recovery { try await client.forgetPin(of: flow.flow, client.pinStore) }
        return outcome
    }

    func prove(_ current: CurrentSecret, in flow: FlowContext) throws -> ProvedSecret {
        if case .answers(let answers) = current, answers.count < 3 {
            throw TenureClientError(.init(.answersAtLeastThreeRequired))
        }
        return .direct(current)
    }
}

/// Blind mode: the entries stay on the device; the client receives evaluations and sends signatures.
///
/// Both a wrong entry and a service that shows other keys or copies than before throw
/// ``TenureClientError/Code/signingRefused``. Each submission is a separate attempt, even after a lost response,
/// because its blinded elements are new.
struct BlindExchange: CredentialExchange {
    func submit(
        _ submission: FlowSubmission, in flow: FlowContext, keys: SubmissionKeys
    ) async throws -> FlowOutcomeResponse {
        let client = flow.client
        switch submission {
        case .newCredentials(let new) where flow.flow.purpose == .recovery:
            return try await client.recoverBlindCredentials(
                flow.flow, flow.asked, to: CredentialsRequest(new), key: flow.key, pins: client.pinStore)
        case .newCredentials(let new):
            return try await client.setBlindCredentials(
                flow.flow, flow.asked,
                questions: new.questions.map { NewSecurityQuestion(question: $0.question, answer: $0.answer) },
                passphrase: new.passphrase, questionsWithPassphrase: new.questionsWithPassphrase, key: flow.key,
                pins: client.pinStore)
        case .answers(let answers):
            return try await client.proveAnswers(
                flow.flow, flow.asked, answers: answers.map { .init($0) }, pins: client.pinStore,
                accepting: flow.accepted)
        case .passphrase(let passphrase):
            return try await client.provePassphrase(
                flow.flow, flow.asked, passphrase: passphrase, pins: client.pinStore, accepting: flow.accepted)
        case .change(.blind(let opened), let new):
            return try await client.replace(
                opened, with: CredentialsRequest(new), in: flow.flow, key: flow.key, pins: client.pinStore)
        // Data collected for direct mode must not be sent in blind mode.
        case .change(.direct, _): throw TenureClientError(.modeUnavailable)
        }
    }

    func prove(_ current: CurrentSecret, in flow: FlowContext) async throws -> ProvedSecret {
        .blind(
            try await flow.client.openCurrent(
                .init(current), flow.flow, flow.asked, pins: flow.client.pinStore, accepting: flow.accepted))
    }
}

extension FlowOutcomeResponse {
    /// Whether the service sent the data that blind mode needs.
    var offersBlindMode: Bool {
        switch self {
        case .setCredentials(_, _, let setUp): setUp != nil
        case .validateAnswers(_, _, let opening), .validatePassphrase(_, _, let opening): opening != nil
        case .success, .authorizationPending: false
        }
    }
}

extension TenureClient {
    /// How answers and passphrases are proved to the service.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Blind mode if the service offers it, direct mode otherwise. An account that this device has pinned in blind
        /// mode never falls back to direct mode.
        case automatic
        /// Secrets never leave the device. A service that does not offer blind mode is refused.
        case blind
        /// Secrets are sent over TLS. The service compares them and stores none.
        case direct
    }

    /// Selects the mode for a flow.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/modeUnavailable``.
    func exchange(for flow: FlowContext) async throws -> any CredentialExchange {
        if mode == .direct { return DirectExchange() }
        if flow.asked.offersBlindMode { return BlindExchange() }
        let account = try PinnedAccount(
            baseURL: baseURL, company: flow.account.companyName, employee: flow.account.companyEmployeeId)
        guard mode == .automatic, try await pinStore.pin(of: account) == nil else {
            throw TenureClientError(.modeUnavailable)
        }
        return DirectExchange()
    }
}
