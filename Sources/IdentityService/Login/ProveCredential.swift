import Canonical
import Credentials
import FoundationEssentials
import Identity

/// Accepts the client's proof in blind mode: the user key's signature over the challenge that the device signed first.
///
/// It needs a charged attempt, and ends that attempt whether the proof is right or wrong.
struct ProveCredential: Sendable {
    let context: ServiceContext

    func run(
        _ input: ProofInput, purpose: FlowKind, flow: String, app: AppCaller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> StepAnswer {
        let store = FlowStore(context: context)
        var row = try await store.load(
            handle: flow, purpose: purpose, app: app, at: call.time, opened: ticket?.opened)
        if row.state.step == .credentials {
            return try await set(row, input, purpose, app, call, ticket)
        }
        guard input.credentials == nil else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/record", detail: "send a record only when you set credentials")])
        }
        guard let attempt = row.state.attempt, let proved = row.state.proved else { throw ServiceError(.flowWrongStep) }
        let target = try await ChallengedCredential.load(.proof, for: row.state, context)
        let challenge = try Challenge(kept: proved.challenge)
        let userKey = target.sealed.context.userPublicKey
        let signature = try? challenge.verifyValidation(proof: input.userSignature, by: userKey)
        guard let signature, !row.state.isDecoy else {
            row.state.attempt = nil
            row.state.challenge = try context.challenge(for: row.state, at: call.time)
            let refusal = ServiceError(attempt.kind.refusal, challenge: row.state.challenge)
            try await store.replace(row, refusing: ticket, refusal)
            throw refusal
        }
        let proof = try FlowProof(attempt.kind, signedBy: userKey, signature, in: row.state)
        switch purpose {
        case .login:
            return try await CompleteLogin(context: context).run(
                row, proof: proof, target.scene, app: app, call: call, ticket: ticket)
        case .registration:
            return try await CompleteRegistration(context: context).run(
                row, .existingUser(proof), app: app, call: call, ticket: ticket)
        case .change:
            return try await ChangeInBlindMode(context: context).begin(
                row, proof: proof, app: app, call: call, ticket: ticket)
        case .recovery: throw ServiceError(.flowWrongStep)
        }
    }

    /// Accepts new credentials for the flow's purpose.
    private func set(
        _ row: FlowStore.Row, _ input: ProofInput, _ purpose: FlowKind, _ app: AppCaller, _ call: Call,
        _ ticket: IdempotencyTicket?
    ) async throws -> StepAnswer {
        switch purpose {
        case .change:
            return try await ChangeInBlindMode(context: context).run(
                row, input, app: app, call: call, ticket: ticket)
        case .recovery:
            return try await RecoverCredentials(context: context).run(row, input, app: app, call: call, ticket: ticket)
        case .registration, .login:
            return try await SetBlindCredentials(context: context).run(
                row, input, app: app, call: call, ticket: ticket)
        }
    }
}

/// Validates answers or a passphrase in direct mode: admission, charge, evaluation, completion, in this order.
struct ValidateCredential: Sendable {
    /// The secret that the client supplied.
    enum Secret: Sendable {
        case answers([AnswerInput])
        case passphrase(String)
    }
    let context: ServiceContext

    func run(
        _ secret: Secret, purpose: FlowKind, flow: String, app: AppCaller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> StepAnswer {
        let row = try await FlowStore(context: context).load(
            handle: flow, purpose: purpose, app: app, at: call.time, opened: ticket?.opened)
        try expect(secret, row.state)
        let target = try await ChallengedCredential.load(.validation, for: row.state, context)
        try refuseDirectMode(row.state, target)
        let opening = try prepare(secret, target)
        let budget = try context.budget(for: row.state, of: target)
        return try await context.admitted(to: context.compute, attempt: row.state, budget) { admission in
            let charged = try await ChargeAttempt(context: context).run(
                row, budget: budget, attempt: nil, app: app, call: call)
            let key = try await admission.run { try opening() }
            guard let key, !charged.state.isDecoy else {
                throw ServiceError(secret.kind.refusal, challenge: charged.state.challenge)
            }
            let proof = try FlowProof(secret.kind, opened: key, in: charged.state)
            switch purpose {
            case .login:
                return try await CompleteLogin(context: context).run(
                    charged, proof: proof, target.scene, app: app, call: call, ticket: ticket)
            case .registration:
                return try await CompleteRegistration(context: context).run(
                    charged, .existingUser(proof), app: app, call: call, ticket: ticket)
            case .change, .recovery:
                // In direct mode a change supplies the old secret with the new credentials (see ChangeInDirectMode). A
                // recovery has no old secret.
                throw ServiceError(.flowWrongStep)
            }
        }
    }

    func expect(_ secret: Secret, _ state: FlowState) throws(ServiceError) {
        switch (secret, state.step) {
        case (.answers, .answers), (.passphrase, .passphrase): return
        case (.answers, .passphrase) where state.questionsAllowed: return
        default: throw ServiceError(.flowWrongStep)
        }
    }

    /// Refuses the direct mode if the user or the tenant requires the blind mode.
    ///
    /// - Throws: `policy.blind_only`.
    private func refuseDirectMode(_ state: FlowState, _ target: ChallengedCredential) throws {
        let policy = try target.policy(for: state)
        guard policy.permits(.direct), !target.isBlindOnly else { throw ServiceError(.policyBlindOnly) }
    }

    /// Parses the secret before anything is charged, and returns the work for the compute pool.
    func prepare(
        _ secret: Secret, _ target: ChallengedCredential
    ) throws(ServiceError) -> @Sendable () throws -> UserKey? {
        let sealed = target.sealed, seed = try target.seed
        switch secret {
        case .answers(let answers):
            var pairs: [(questionId: UUID, answer: String)] = []
            for answer in answers {
                guard let bytes = Base64URL.decode(answer.questionId), let id = UUID(bytes: bytes) else {
                    throw ServiceError(.requestInvalid)
                }
                pairs.append((id, answer.answer))
            }
            let supplied = try accepted { () throws(CredentialsError) in
                try SuppliedAnswers(pairs, questionIds: sealed.context.questionIds)
            }
            return { try Self.opened { () throws(CredentialsError) in try sealed.open(answers: supplied, seed: seed) } }
        case .passphrase(let text):
            let passphrase = try accepted { () throws(CredentialsError) in try Passphrase(supplied: text) }
            return {
                try Self.opened { () throws(CredentialsError) in try sealed.open(passphrase: passphrase, seed: seed) }
            }
        }
    }

    /// Returns `nil` for a wrong secret. Any other error is a fault of the service and is thrown.
    private static func opened(_ open: () throws(CredentialsError) -> UserKey) throws -> UserKey? {
        do { return try open() } catch {
            guard error.code == .cannotOpen else { throw error }
            return nil
        }
    }
}

extension ValidateCredential.Secret {
    var kind: FlowProof.Kind {
        switch self {
        case .answers: .answers
        case .passphrase: .passphrase
        }
    }
}
