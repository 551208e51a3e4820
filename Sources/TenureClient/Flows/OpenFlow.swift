import Credentials
import TenureAPI

/// A flow whose last step is open: lets one submission through at a time, and ends once.
actor OpenFlow {
    private enum State {
        case open
        case working
        case ended
    }

    private var context: FlowContext
    private var state = State.open
    /// A submission whose reply was lost. Entered again it is the same request to the service, which answers as before.
    private var unanswered: (body: [UInt8], keys: SubmissionKeys)?

    init(_ context: FlowContext) { self.context = context }

    /// Submits and takes the outcome, which ends the flow.
    ///
    /// - Throws: ``TenureClientError``: ``TenureClientError/Code/wrongStep`` while another submission is at work,
    ///   ``TenureClientError/Code/flowEnded`` after the end. After a wrong answer, a lock or a lost connection the flow
    ///   is open still.
    func submit(_ submission: FlowSubmission) async throws -> FlowOutcome {
        try begin()
        let body = submission.body.bytes
        let keys = unanswered.flatMap { $0.body == body ? $0.keys : nil } ?? SubmissionKeys()
        do {
            let response = try await context.client.exchange(for: context).submit(submission, in: context, keys: keys)
            state = .ended
            unanswered = nil
            return try await outcome(response)
        } catch {
            guard state == .working else { throw error }
            note(error, body, keys)
            throw error
        }
    }

    /// Proves the secret in force, the step before the last one of a change.
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
            throw error
        }
    }

    /// Takes credentials for those of the account from now on; see ``ChangedCredentials/accept()``.
    func accept(_ pin: CredentialPin) { context.accepted = pin }

    private func begin() throws(TenureClientError) {
        switch state {
        case .open: state = .working
        case .working: throw TenureClientError(.wrongStep)
        case .ended: throw TenureClientError(.flowEnded)
        }
    }

    /// What an error means for the flow.
    private func note(_ error: any Error, _ body: [UInt8], _ keys: SubmissionKeys) {
        guard let error = error as? TenureClientError else {
            // Cancelled: nobody knows whether the service got it.
            state = .open
            unanswered = (body, keys)
            return
        }
        state = error.leavesFlowOpen ? .open : .ended
        unanswered = error.kind == .connectionLost ? (body, keys) : nil
    }

    private func outcome(_ response: FlowOutcomeResponse) async throws -> FlowOutcome {
        switch response {
        case .success(let tokens, let employee, let position):
            let keeper = await context.client.sessions.keeper(of: context.account)
            try await keeper.begin(SessionTokens(tokens))
            let session = EmployeeSession(client: context.client, account: context.account)
            let fingerprint = context.key.publicKey.fingerprint
            return .success(
                Admission(
                    session, employee, fingerprint: fingerprint, position: position,
                    credentialsChangeRequired: tokens.credentialsChangeRequired))
        case .authorizationPending(let publicKey, let fingerprint, let position):
            let key = context.key.publicKey
            // Whoever authorizes compares what is shown here: it must be this device's key and no other.
            guard publicKey == key.bytes, fingerprint == key.fingerprint else {
                throw TenureClientError(.responseInvalid)
            }
            // A recovery ended every session of the user.
            if context.flow.purpose == .recovery { try await context.client.sessions.keeper(of: context.account).end() }
            return .authorizationPending(
                PendingAuthorization(
                    client: context.client, account: context.account, publicKey: key, position: position))
        case .setCredentials, .validateAnswers, .validatePassphrase: throw TenureClientError(.responseInvalid)
        }
    }
}
