import Canonical
import Credentials
import FoundationEssentials
import Identity

/// Takes the client's proof in blind mode: the user key's signature over the challenge that the device signed first.
///
/// It needs an attempt that was charged, and ends that attempt whether it is right or wrong.
struct ProveCredential: Sendable {
    let context: ServiceContext

    func run(
        _ input: ProofInput, purpose: FlowPurpose, flow: FlowOpening, app: AppCaller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> FlowOutcome {
        let store = FlowStore(context: context)
        let step = try await store.step(flow, purpose: purpose, app: app, call: call, ticket: ticket)
        var row = step.row
        if row.state.step == .credentials {
            return try await set(row, input, purpose, app, call, ticket)
        }
        guard input.credentials == nil else {
            throw ServiceError(
                .requestInvalid, members: [.init(pointer: "/record", detail: "only new credentials have a record")])
        }
        guard let attempt = row.state.attempt, let proved = row.state.proved else { throw ServiceError(.flowWrongStep) }
        let target = try await ChallengedCredential.load(.proof, for: row.state, known: step.known, context)
        let challenge = try Challenge(kept: proved.challenge)
        let userKey = target.sealed.context.userPublicKey
        let signature = try? challenge.verifyValidation(proof: input.userSignature, by: userKey)
        guard let signature, !row.state.isDecoy else {
            row.state.attempt = nil
            row.state.challenge = try context.challenge(for: row.state, at: call.time)
            let refusal = ServiceError(attempt.kind.refusal, challenge: row.state.challenge)
            let replaced = try await store.replace(row, refusing: ticket, refusal)
            context.flows.remember(replaced, target.scene)
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
            return try await ChangeBlindCredentials(context: context).begin(
                row, proof: proof, app: app, call: call, ticket: ticket)
        case .recovery: throw ServiceError(.flowWrongStep)
        }
    }

    /// Takes new credentials, as the flow's purpose has them.
    private func set(
        _ row: FlowStore.Row, _ input: ProofInput, _ purpose: FlowPurpose, _ app: AppCaller, _ call: Call,
        _ ticket: IdempotencyTicket?
    ) async throws -> FlowOutcome {
        switch purpose {
        case .change:
            return try await ChangeBlindCredentials(context: context).run(
                row, input, app: app, call: call, ticket: ticket)
        case .recovery:
            return try await RecoverCredentials(context: context).run(row, input, app: app, call: call, ticket: ticket)
        case .registration, .login:
            return try await SetBlindCredentials(context: context).run(
                row, input, app: app, call: call, ticket: ticket)
        }
    }
}
