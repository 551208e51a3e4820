import Credentials
import ErrorCodes
import EventCoding
import Identity
import TenureAPI

/// Changes a user's credentials in blind mode. After the proof of the old secret the client learns what the new record
/// must follow, makes the record and submits it.
struct ChangeInBlindMode: Sendable {
    let context: ServiceContext

    /// Draws the new seed after a valid proof of the old secret, and returns its public half and the previous record.
    func begin(
        _ row: FlowStore.Row, proof: FlowProof, app: AppCaller, _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        guard case .change(let account, _) = row.state.purpose else { throw ServiceError(.flowWrongStep) }
        try await CompleteChange(context: context).requirePermitted(row, proof: proof, app: app, run)
        let previous = try await context.previousCredentials(of: row.state)
        let policy = try await StateLoader(reader: context.reader).tenant(TenantID(row.state.tenantId)).state.policy
        let seed = try OPRFSeed.generate()
        let change = PendingChange(kind: proof.kind, userSignature: proof.userSignature.bytes)
        var next = row
        next.state.attempt = nil
        next.state.step = .credentials
        next.state.setUp = FlowState.SetUp(seed: seed.bytes)
        next.state.purpose = .change(account, change)
        let plan = SetUpPlanResponse(
            credentialId: change.credentialId, userId: row.state.userId, keys: try seed.keys(),
            context.settings.scrypt, previous: previous)
        let outcome = FlowOutcomeResponse.setCredentials(
            challenge: row.state.challenge, rules: CredentialRulesResponse(policy, app), setUp: plan)
        try await FlowStore(context: context).replace(next, answering: run.ticket, .success(outcome))
        return outcome
    }

    /// Accepts the new record.
    func run(
        _ row: FlowStore.Row, _ input: ProofRequest, app: AppCaller, _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        guard let proved = row.state.proved, let bytes = row.state.setUp?.seed,
            case .change(_, let change?) = row.state.purpose
        else {
            throw ServiceError(.flowWrongStep)
        }
        let seed = try OPRFSeed(bytes: bytes)
        let previous = try await context.previousCredentials(of: row.state)
        let setting = SetBlindCredentials(context: context)
        let made = try await setting.made(
            input, proved, row.state, app: app,
            plan: try SetUpPlan(
                credentialId: change.credentialId, userId: row.state.userId, mode: .blind, seed: seed,
                previous: previous, kdf: context.settings.scrypt))
        guard case .changed = made.record.content.authority else {
            throw ServiceError(
                .requestInvalid, members: [.init(pointer: "/record", detail: "the record does not belong to this flow")]
            )
        }
        guard let oldKey = previous.userPublicKey else { throw ServiceError(.flowWrongStep) }
        let proof = try FlowProof(
            change.kind, signedBy: oldKey, try Signature(raw: change.userSignature), in: row.state)
        let new = ReplacementCredentials(
            record: made.record, questions: made.questions, seed: seed, proved: proved,
            userSignature: made.userSignature)
        return try await CompleteChange(context: context).run(row, new, proof: proof, app: app, run)
    }
}
