import Credentials
import TenureAPI

/// The blind mode: what a person entered stays here; evaluations come, signatures go.
///
/// A service that shows other keys or other copies than before, and a wrong entry as well, is the one error
/// ``TenureClientError/Code/signingRefused``. Each submission is an attempt of its own to the service, also one whose
/// reply was lost: its blinded elements are made anew.
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
        // What was to go in direct mode stays on the device.
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
    /// Whether the service told what the blind mode needs.
    var offersBlindMode: Bool {
        switch self {
        case .setCredentials(_, _, let setUp): setUp != nil
        case .validateAnswers(_, _, let opening), .validatePassphrase(_, _, let opening): opening != nil
        case .success, .authorizationPending: false
        }
    }
}
