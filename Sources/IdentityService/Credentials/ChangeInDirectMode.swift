import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
package import TenureAPI

/// Changes a user's credentials in direct mode: the old secret and the new credentials come in one call.
///
/// The old user key, which must sign the new record, is thus open only during the call and stored nowhere. The new
/// input is checked before the attempt is charged.
package struct ChangeInDirectMode: AppUseCase {
    /// The old secret: at least three answers to the old questions, or the old passphrase. `nil` for the first secret of
    /// a person without one, for which a passkey signed the flow's challenge.
    package let current: CredentialsChangeRequest.Current?
    package let credentials: CredentialsRequest
    package let flow: String
    package let app: AppCaller

    package init(
        current: CredentialsChangeRequest.Current?, credentials: CredentialsRequest, flow: String, app: AppCaller
    ) {
        self.current = current
        self.credentials = credentials
        self.flow = flow
        self.app = app
    }

    package func authorize() throws(ServiceError) { try app.require(.change) }

    /// Changes the credentials, and logs the employee in.
    package func run(_ run: UseCaseRun<FlowOutcomeResponse>) async throws -> FlowOutcomeResponse {
        let context = run.context, call = run.call
        let row = try await FlowStore(context: context).load(
            handle: flow, purpose: .change, app: app, at: call.time)
        try current?.requireExpected(in: row.state)
        let target = try await ChallengedCredential.load([.seed, .device, .tenant], for: row.state, context)
        let policy = try target.policy(for: row.state)
        guard policy.permits(.direct), !target.isBlindOnly else { throw ServiceError(.policyBlindOnly) }
        try credentials.requirePermitted(by: policy, under: "/credentials")
        let opening = try current?.opening(target, in: .current)
        let seed = try OPRFSeed.generate()
        let questions = try credentials.chosenQuestions(app, under: "/credentials")
        if current == nil { try row.state.requireFirstSecret(of: target) }
        let setUp = try await setUp(questions, seed: seed, row.state, context)
        guard let current, let opening else {
            return try await context.compute.admitted(AdmissionLane(row.state)) { admission in
                let made = try await admission.run { try setUp.complete(seed: seed, authority: .passkey) }
                return try await CompleteChange(context: context).run(
                    row, try replacement(made, seed: seed, row.state), proof: nil, app: app, run)
            }
        }
        let budget = try context.budget(for: row.state, of: target)
        return try await context.admitted(to: context.compute, attempt: row.state, budget) { admission in
            let charged = try await ChargeAttempt(context: context).run(
                row, budget: budget, attempt: nil, app: app, call: call)
            let key = try await admission.run { try opening() }
            guard let key, !charged.state.isDecoy, charged.state.proved != nil else {
                throw ServiceError(current.kind.refusal, challenge: charged.state.challenge)
            }
            let proof = try FlowProof(current.kind, opened: key, in: charged.state)
            let completion = CompleteChange(context: context)
            try await completion.requirePermitted(charged, proof: proof, app: app, run)
            let made = try await admission.run { try setUp.complete(seed: seed, authority: .changed(oldKey: key)) }
            let new = try replacement(made, seed: seed, charged.state)
            return try await completion.run(charged, new, proof: proof, app: app, run)
        }
    }

    private func replacement(
        _ made: NewCredentials, seed: OPRFSeed, _ state: FlowState
    ) throws -> ReplacementCredentials {
        guard let proved = state.proved else { throw ServiceError(.flowWrongStep) }
        return ReplacementCredentials(
            record: try made.record(
                deviceSignature: nil, employeeKey: try EmployeePublicKey(bytes: state.employeePublicKey)),
            questions: made.questions, seed: seed, proved: proved,
            userSignature: try made.userKey.sign(validationOf: try Challenge(kept: proved.challenge)))
    }

    private func setUp(
        _ questions: [QuestionAndAnswer], seed: OPRFSeed, _ state: FlowState, _ context: ServiceContext
    ) async throws -> CredentialSetUp {
        // A decoy has no previous record, and its change is never completed.
        let previous = state.isDecoy ? nil : try await context.previousCredentials(of: state)
        return try accepted(in: .setUp(under: "/credentials")) { () throws(CredentialsError) in
            try CredentialSetUp(
                plan: try SetUpPlan(
                    credentialId: UUID(), userId: state.userId, mode: .direct, seed: seed, previous: previous,
                    kdf: context.settings.scrypt),
                questions: questions, passphrase: credentials.passphrase,
                questionsWithPassphrase: credentials.questionsWithPassphrase)
        }
    }
}

extension FlowState {
    /// Whether the flow sets the first secret of a person without one, whose passkey has signed the challenge.
    func setsFirstSecret(of target: ChallengedCredential) -> Bool {
        purpose.kind == .change && !isDecoy && passkey != nil && proved != nil
            && target.scene.user.state.credentials?.isSecretless == true
    }

    /// - Throws: `flow.wrong_step`.
    fileprivate func requireFirstSecret(of target: ChallengedCredential) throws(ServiceError) {
        guard [.answers, .passphrase].contains(step), setsFirstSecret(of: target) else {
            throw ServiceError(.flowWrongStep)
        }
    }
}

extension ServiceContext {
    /// Reads the record that a change replaces.
    ///
    /// - Throws: `request.stale` if the credential was replaced since the flow began.
    func previousCredentials(of state: FlowState) async throws -> PreviousCredentials {
        let user = try await StateLoader(reader: reader).user(UserID(state.userId))
        guard let credentials = user.state.credentials, credentials.id.uuid == state.credentialId else {
            throw ServiceError(.requestStale)
        }
        return PreviousCredentials(try StoredCredentials(bytes: credentials.record).record)
    }
}
