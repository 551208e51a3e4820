import Credentials
import ErrorCodes
import FoundationEssentials
import Identity
package import TenureAPI

/// Accepts the client's proof in blind mode: the user key's signature over the challenge that the device signed first.
///
/// It needs a charged attempt, and ends that attempt whether the proof is right or wrong. In a set-up it accepts new
/// credentials that the client made.
package struct ProveCredential: FlowStepUseCase {
    /// The proof, with the new credentials in a set-up.
    package let proof: ProofRequest
    package let purpose: FlowKind
    package let flow: String
    package let app: AppCaller

    package init(_ proof: ProofRequest, purpose: FlowKind, flow: String, app: AppCaller) {
        self.proof = proof
        self.purpose = purpose
        self.flow = flow
        self.app = app
    }

    /// Accepts the proof, and completes what the flow is for.
    package func run(_ run: UseCaseRun<FlowOutcomeResponse>) async throws -> FlowOutcomeResponse {
        let context = run.context, time = run.call.time, store = FlowStore(context: context)
        var row = try await store.load(handle: flow, purpose: purpose, app: app, at: time, run.firstRows)
        if row.state.step == .credentials { return try await set(row, run) }
        guard proof.credentials == nil else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/record", detail: "send a record only when you set credentials")])
        }
        guard let attempt = row.state.attempt, let proved = row.state.proved else { throw ServiceError(.flowWrongStep) }
        let target = try await ChallengedCredential.load(.proof, for: row.state, context)
        let challenge = try Challenge(kept: proved.challenge)
        let userKey = target.sealed.context.userPublicKey
        let signature = try? challenge.verifyValidation(proof: proof.userSignature, by: userKey)
        guard let signature, !row.state.isDecoy else {
            row.state.attempt = nil
            row.state.challenge = try context.challenge(for: row.state, at: time)
            let refusal = ServiceError(attempt.kind.refusal, challenge: row.state.challenge)
            try await store.replace(row, answering: run.ticket, .failure(refusal))
            throw refusal
        }
        let valid = try FlowProof(attempt.kind, signedBy: userKey, signature, in: row.state)
        switch purpose {
        case .login:
            return try await CompleteLogin(context: context).run(
                row, proof: .credential(valid), target.scene, app: app, run)
        case .registration:
            return try await CompleteRegistration(context: context).run(row, .existingUser(valid), app: app, run)
        case .change: return try await ChangeInBlindMode(context: context).begin(row, proof: valid, app: app, run)
        case .returning: return try await ProveReturn(context: context).run(row, proof: valid, app: app, run)
        // A log-in by an address is in direct mode only.
        case .recovery, .address: throw ServiceError(.flowWrongStep)
        }
    }

    /// Accepts new credentials for the flow's purpose.
    private func set(_ row: FlowStore.Row, _ run: UseCaseRun<FlowOutcomeResponse>) async throws -> FlowOutcomeResponse {
        let context = run.context
        switch purpose {
        case .change: return try await ChangeInBlindMode(context: context).run(row, proof, app: app, run)
        case .recovery: return try await RecoverBlindCredentials(context: context).run(row, proof, app: app, run)
        case .registration, .login, .address, .returning:
            return try await SetBlindCredentials(context: context).run(row, proof, app: app, run)
        }
    }
}

/// Validates answers or a passphrase in direct mode: admission, charge, evaluation, completion, in this order.
package struct ValidateCredential: FlowStepUseCase {
    package let secret: CredentialsChangeRequest.Current
    package let purpose: FlowKind
    package let flow: String
    package let app: AppCaller

    package init(_ secret: CredentialsChangeRequest.Current, purpose: FlowKind, flow: String, app: AppCaller) {
        self.secret = secret
        self.purpose = purpose
        self.flow = flow
        self.app = app
    }

    /// Validates the secret, and completes what the flow is for.
    package func run(_ run: UseCaseRun<FlowOutcomeResponse>) async throws -> FlowOutcomeResponse {
        let context = run.context, call = run.call
        let row = try await FlowStore(context: context).load(
            handle: flow, purpose: purpose, app: app, at: call.time, run.firstRows)
        try secret.requireExpected(in: row.state)
        let target = try await ChallengedCredential.load(.validation, for: row.state, context)
        try refuseDirectMode(row.state, target)
        let opening = try secret.opening(target, in: .proof)
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
                    charged, proof: .credential(proof), target.scene, app: app, run)
            case .registration:
                return try await CompleteRegistration(context: context).run(
                    charged, .existingUser(proof), app: app, run)
            case .returning:
                return try await ProveReturn(context: context).run(charged, proof: proof, app: app, run)
            case .change, .recovery, .address:
                // After the secret of an address an account is picked (see ProveAddress). In direct mode a change supplies
                // the old secret with the new credentials (see ChangeInDirectMode). A recovery has no old secret.
                throw ServiceError(.flowWrongStep)
            }
        }
    }

    /// Refuses the direct mode if the user or the tenant requires the blind mode.
    ///
    /// - Throws: `policy.blind_only`.
    private func refuseDirectMode(_ state: FlowState, _ target: ChallengedCredential) throws {
        let policy = try target.policy(for: state)
        guard policy.permits(.direct), !target.isBlindOnly else { throw ServiceError(.policyBlindOnly) }
    }
}
