import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity

/// The input of a change of credentials in direct mode.
public struct ChangeInput: Sendable, CustomStringConvertible {
    /// The old secret.
    public enum Current: Sendable {
        /// At least three answers to the old questions.
        case answers([AnswerInput])
        /// The old passphrase.
        case passphrase(String)
    }

    /// The old secret.
    public var current: Current
    /// The new credentials.
    public var credentials: CredentialsInput
    /// A placeholder that never contains the secrets.
    public var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    public init(current: Current, credentials: CredentialsInput) {
        self.current = current
        self.credentials = credentials
    }
}

/// Changes a user's credentials in direct mode: the old secret and the new credentials come in one call.
///
/// The old user key, which must sign the new record, is thus open only during the call and stored nowhere. The new
/// input is checked before the attempt is charged.
struct ChangeInDirectMode: Sendable {
    let context: ServiceContext

    func run(
        flow: String, _ input: ChangeInput, app: AppCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> StepAnswer {
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
                members: [
                    .init(
                        pointer: "/questionsWithPassphrase",
                        detail: "the company's policy does not allow questions beside a passphrase")
                ])
        }
        let opening = try validation.prepare(secret, target)
        let seed = try OPRFSeed.generate()
        let questions = try input.credentials.chosenQuestions(app, under: "/credentials")
        let setUp = try await setUp(input.credentials, questions, seed: seed, row.state)
        let budget = try context.budget(for: row.state, of: target)
        return try await context.admitted(to: context.compute, attempt: row.state, budget) { admission in
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
            let new = ReplacementCredentials(
                record: try made.record(
                    deviceSignature: nil, employeeKey: try EmployeePublicKey(bytes: charged.state.employeePublicKey)),
                questions: made.questions, seed: seed, proved: proved,
                userSignature: try made.userKey.sign(validationOf: try Challenge(kept: proved.challenge)))
            return try await completion.run(charged, new, proof: proof, app: app, call: call, ticket: ticket)
        }
    }

    private func setUp(
        _ input: CredentialsInput, _ questions: [QuestionAndAnswer], seed: OPRFSeed, _ state: FlowState
    ) async throws -> CredentialSetUp {
        // A decoy has no previous record, and its change is never completed.
        let previous = state.isDecoy ? nil : try await context.previousCredentials(of: state)
        return try accepted(under: "/credentials") { () throws(CredentialsError) in
            try CredentialSetUp(
                plan: try SetUpPlan(
                    credentialId: UUID(), userId: state.userId, mode: .direct, seed: seed, previous: previous,
                    kdf: context.settings.scrypt),
                questions: questions, passphrase: input.passphrase,
                questionsWithPassphrase: input.questionsWithPassphrase)
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
