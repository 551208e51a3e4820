import Canonical
import Credentials
import FoundationEssentials
import Identity

/// Changes a user's credentials in direct mode: the old secret and the new credentials come in one call.
///
/// So the old user key, which has to sign the new record, is open for the length of one call and is kept nowhere. What
/// was entered newly is checked before the attempt is charged.
struct ChangeCredentials: Sendable {
    let context: ServiceContext

    func run(
        flow: String, _ input: ChangeInput, app: AppCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> FlowOutcome {
        let store = FlowStore(context: context), validation = ValidateCredential(context: context)
        let row = try await store.load(handle: flow, purpose: .change, app: app, at: call.time)
        let secret = input.secret
        try validation.expect(secret, row.state)
        let target = try await ChallengedCredential.load([.seed, .device, .tenant], for: row.state, context)
        let policy = try target.policy(for: row.state)
        guard policy.permits(.direct), !target.isBlindOnly else { throw ServiceError(.policyBlindOnly) }
        guard !input.credentials.questionsWithPassphrase || policy.questionsWithPassphrase else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/questionsWithPassphrase", detail: "the company's policy does not allow it")])
        }
        let opening = try validation.prepare(secret, target)
        let seed = try OPRFSeed.generate()
        let setUp = try await setUp(input.credentials, seed: seed, row.state)
        let budget = try context.budget(for: row.state, of: target)
        return try await context.compute.admitted { admission in
            let charged = try await ChargeAttempt(context: context).run(
                row, budget: budget, attempt: nil, app: app, call: call)
            let key = try await admission.run { try opening() }
            guard let key, !charged.state.isDecoy, let proved = charged.state.proved else {
                throw ServiceError(secret.kind.refusal, challenge: charged.state.challenge)
            }
            let proof = try FlowProof(secret.kind, opened: key, in: charged.state)
            let completion = CompleteChange(context: context)
            try await completion.requirePermitted(charged, proof: proof, app: app, call: call, ticket: ticket)
            let made = try await admission.run { try setUp.complete(seed: seed, authority: .changed(oldKey: key)) }
            let new = ChangedCredentials(
                record: try made.record(
                    deviceSignature: nil, employeeKey: try EmployeePublicKey(bytes: charged.state.employeePublicKey)),
                questions: made.questions, seed: seed, proved: proved,
                userSignature: try made.userKey.sign(validationOf: try Challenge(kept: proved.challenge)))
            return try await completion.run(charged, new, proof: proof, app: app, call: call, ticket: ticket)
        }
    }

    private func setUp(_ input: CredentialsInput, seed: OPRFSeed, _ state: FlowState) async throws -> CredentialSetUp {
        // A decoy has no record before; nothing is ever completed with it.
        let previous = state.isDecoy ? nil : try await context.previousCredentials(of: state)
        return try accepted { () throws(CredentialsError) in
            try CredentialSetUp(
                plan: try SetUpPlan(
                    credentialId: UUID(), userId: state.userId, mode: .direct, seed: seed, previous: previous,
                    kdf: context.settings.scrypt),
                questions: input.securityQuestions.map { QuestionAndAnswer(question: $0.question, answer: $0.answer) },
                passphrase: input.passphrase, questionsWithPassphrase: input.questionsWithPassphrase)
        }
    }
}

extension ChangeInput {
    /// The old secret as the validation takes it.
    var secret: ValidateCredential.Secret {
        switch current {
        case .answers(let answers): .answers(answers)
        case .passphrase(let text): .passphrase(text)
        }
    }
}

extension ServiceContext {
    /// The record that a change replaces.
    ///
    /// - Throws: `request.stale` when the credential was replaced since the flow began.
    func previousCredentials(of state: FlowState) async throws -> PreviousCredentials {
        let user = try await StateLoader(reader: reader).user(UserID(state.userId))
        guard let credentials = user.state.credentials, credentials.id.uuid == state.credentialId else {
            throw ServiceError(.requestStale)
        }
        return PreviousCredentials(try StoredCredentials(bytes: credentials.record).record)
    }
}
