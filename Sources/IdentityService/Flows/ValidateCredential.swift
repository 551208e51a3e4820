import Canonical
import Credentials
import FoundationEssentials
import Identity

/// Validates answers or a passphrase in direct mode: admission, charge, evaluation, completion, in this order.
struct ValidateCredential: Sendable {
    /// What was supplied.
    enum Secret: Sendable {
        case answers([AnswerInput])
        case passphrase(String)
    }
    let context: ServiceContext

    func run(
        _ secret: Secret, purpose: FlowPurpose, flow: FlowOpening, app: AppCaller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> FlowOutcome {
        let step = try await FlowStore(context: context).step(
            flow, purpose: purpose, app: app, call: call, ticket: ticket)
        let row = step.row
        try expect(secret, row.state)
        let target = try await ChallengedCredential.load(
            .validation, for: row.state, known: step.known, context)
        try refuseDirectMode(row.state, target)
        let opening = try prepare(secret, target)
        let budget = try context.budget(for: row.state, of: target)
        return try await context.compute.admitted { admission in
            let charged = try await ChargeAttempt(context: context).run(
                row, budget: budget, attempt: nil, app: app, call: call)
            context.flows.remember(charged, target.scene)
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
                // The old secret comes with the new credentials in direct mode: see ChangeCredentials. A recovery has none.
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

    /// A user or a company that insists on the blind mode never shows a secret to the service.
    private func refuseDirectMode(_ state: FlowState, _ target: ChallengedCredential) throws {
        let policy = try target.policy(for: state)
        guard policy.permits(.direct), !target.isBlindOnly else { throw ServiceError(.policyBlindOnly) }
    }

    /// Parses what was supplied, before anything is charged, and returns the work for the compute pool.
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

    /// A wrong secret is no error here; anything else is a fault of the service.
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
