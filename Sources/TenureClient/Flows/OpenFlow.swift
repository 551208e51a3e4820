import Credentials
import TenureAPI

/// A flow at its last step. It permits one submission at a time and ends once.
actor OpenFlow {
    private enum State {
        case open
        case working
        case ended
    }

    private var context: FlowContext
    private var state = State.open
    /// A submission whose response was lost. If it is submitted again, it is sent as the same request, which the
    /// service answers with the same response.
    private var unanswered: (body: [UInt8], keys: SubmissionKeys)?

    init(_ context: FlowContext) { self.context = context }

    /// Submits the user's entries and processes the outcome, which ends the flow.
    ///
    /// - Throws: ``TenureClientError``: ``TenureClientError/Code/wrongStep`` while another submission is running,
    ///   ``TenureClientError/Code/flowEnded`` after the end. After a wrong answer, a lock or a lost connection the flow
    ///   stays open.
    func submit(_ submission: FlowSubmission) async throws -> FlowOutcome {
        try begin()
        let body = submission.body.bytes
        let keys = unanswered.flatMap { $0.body == body ? $0.keys : nil } ?? SubmissionKeys()
        do {
            let response = try await context.client.exchange(for: context).submit(submission, in: context, keys: keys)
            state = .ended
            unanswered = nil
            return try await context.outcome(of: response)
        } catch {
            guard state == .working else { throw error }
            note(error, body, keys)
            throw (error as? TenureClientError)?.hinting(at: submission.proved) ?? error
        }
    }

    /// Proves the current secret, the step before the last one of a change.
    ///
    /// - Throws: As ``submit(_:)``.
    func prove(_ current: CurrentSecret) async throws -> ProvedSecret {
        try begin()
        do {
            let proved = try await context.client.exchange(for: context).prove(current, in: context)
            state = .open
            return proved
        } catch {
            state = (error as? TenureClientError)?.leavesFlowOpen ?? true ? .open : .ended
            throw (error as? TenureClientError)?.hinting(at: current) ?? error
        }
    }

    /// Accepts credentials as the account's from now on; see ``UnfamiliarCredentials/accept()``.
    func accept(_ pin: CredentialPin) { context.accepted = pin }

    private func begin() throws(TenureClientError) {
        switch state {
        case .open: state = .working
        case .working: throw TenureClientError(.wrongStep)
        case .ended: throw TenureClientError(.flowEnded)
        }
    }

    /// Updates the state of the flow after an error.
    private func note(_ error: any Error, _ body: [UInt8], _ keys: SubmissionKeys) {
        guard let error = error as? TenureClientError else {
            // Cancelled: it is unknown whether the service received the request.
            state = .open
            unanswered = (body, keys)
            return
        }
        state = error.leavesFlowOpen ? .open : .ended
        unanswered = error.kind == .connectionLost ? (body, keys) : nil
    }
}

extension FlowContext {
    /// Takes the outcome of a flow: stores the tokens of a session, or describes the pending key.
    ///
    /// - Throws: ``TenureClientError``, for example ``TenureClientError/Code/responseInvalid``.
    func outcome(of response: FlowOutcomeResponse) async throws -> FlowOutcome {
        switch response {
        case .success(let tokens, let employee, let position):
            let keeper = await client.sessions.keeper(of: account)
            try await keeper.begin(SessionTokens(tokens))
            let session = EmployeeSession(client: client, account: account)
            let fingerprint = key.publicKey.fingerprint
            return .success(
                Admission(
                    session, employee, fingerprint: fingerprint, position: position,
                    credentialsChangeRequired: tokens.credentialsChangeRequired, notices: tokens.notices))
        case .authorizationPending(let publicKey, let fingerprint, let position):
            let key = key.publicKey
            // The approver compares the fingerprint that is shown here, so it must be this device's key.
            guard publicKey == key.bytes, fingerprint == key.fingerprint else {
                throw TenureClientError(.responseInvalid)
            }
            // A recovery ends every session of the user.
            if flow.purpose == .recovery { try await client.sessions.keeper(of: account).end() }
            return .authorizationPending(
                PendingAuthorization(
                    client: client, account: account, publicKey: key, position: position))
        case .setCredentials, .validateAnswers, .validatePassphrase: throw TenureClientError(.responseInvalid)
        }
    }
}

/// A user's entries at the last step of a flow.
enum FlowSubmission: Sendable {
    case newCredentials(NewUserCredentials)
    case answers([SecurityAnswer])
    case passphrase(String)
    case change(ProvedSecret, NewUserCredentials)

    /// The body of the call in direct mode.
    var body: any JSONConvertible {
        switch self {
        case .newCredentials(let new): CredentialsRequest(new)
        case .answers(let answers): AnswersRequest(answers: answers.map { .init($0) })
        case .passphrase(let passphrase): PassphraseRequest(passphrase: passphrase)
        case .change(.direct(let current), let new):
            CredentialsChangeRequest(current: .init(current), credentials: CredentialsRequest(new))
        // The current secret was proved by a separate call.
        case .change(.blind, let new): CredentialsRequest(new)
        }
    }
}

extension CredentialsRequest {
    init(_ new: NewUserCredentials) {
        self.init(
            securityQuestions: new.questions.map { NewSecurityQuestion(question: $0.question, answer: $0.answer) },
            passphrase: new.passphrase, questionsWithPassphrase: new.questionsWithPassphrase)
    }
}

extension CredentialsChangeRequest.Current {
    init(_ current: CurrentSecret) {
        switch current {
        case .answers(let answers): self = .answers(answers.map { .init($0) })
        case .passphrase(let text): self = .passphrase(text)
        }
    }
}

extension AnswersRequest.Answer {
    init(_ answer: SecurityAnswer) { self.init(questionId: answer.questionId, answer: answer.answer) }
}
