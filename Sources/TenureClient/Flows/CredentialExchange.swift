import Credentials
import TenureAPI

/// A mode: carries what a user entered to the service and brings the outcome back.
protocol CredentialExchange: Sendable {
    /// Submits.
    ///
    /// - Parameter keys: Gives the idempotency keys of the calls; the same in every try of the same submission.
    func submit(
        _ submission: FlowSubmission, in flow: FlowContext, keys: SubmissionKeys
    ) async throws -> FlowOutcomeResponse

    /// Proves the secret in force ahead of the new credentials of a change, where the mode can.
    func prove(_ current: CurrentSecret, in flow: FlowContext) async throws -> ProvedSecret
}

/// The flow that something is submitted in.
struct FlowContext: Sendable {
    let client: TenureClient
    let account: AccountName
    /// This device's key.
    let key: any DeviceKey
    /// The handle and the challenge.
    let flow: TenureClient.Flow
    /// What the service asked for when the key was proved.
    let asked: FlowOutcomeResponse
    /// Credentials that the person takes for those of the account, although this device knows others.
    var accepted: CredentialPin?
}

/// The idempotency keys of one submission, which may take several calls.
struct SubmissionKeys: Sendable {
    private let base = TenureClient.newKey()

    /// The key of the call of that name.
    func key(_ call: String) -> String { base + "." + call }
}

/// The direct mode: one call with the secrets in its body.
struct DirectExchange: CredentialExchange {
    func submit(
        _ submission: FlowSubmission, in flow: FlowContext, keys: SubmissionKeys
    ) async throws -> FlowOutcomeResponse {
        let client = flow.client
        let purpose = flow.flow.purpose
        let isRegistration = purpose == .registration
        let endpoint: Endpoint =
            switch submission {
            case .newCredentials: purpose == .recovery ? .recoverCredentials : .setCredentials
            case .answers: isRegistration ? .validateRegistrationAnswers : .validateLoginAnswers
            case .passphrase: isRegistration ? .validateRegistrationPassphrase : .validateLoginPassphrase
            case .change: .changeCredentials
            }
        let outcome: FlowOutcomeResponse = try await client.call(
            endpoint, ["flow": flow.flow.handle], body: submission.body, idempotencyKey: keys.key("direct"))
        if purpose == .change || purpose == .recovery { try await client.forgetPin(of: flow.flow, client.pinStore) }
        return outcome
    }

    func prove(_ current: CurrentSecret, in flow: FlowContext) throws -> ProvedSecret {
        if case .answers(let answers) = current, answers.count < 3 {
            throw TenureClientError(.init(rawValue: TenureClientError.Kind.atLeastThreeAnswersRequired.rawValue))
        }
        return .direct(current)
    }
}
