import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
package import TenureAPI

/// Verifies that the device holds its key. Only then is the next step revealed.
package struct ProveKey: FlowStepUseCase {
    /// The signature of the device key over the flow's challenge, DER or 64 raw bytes.
    package let proof: [UInt8]
    package let purpose: FlowKind
    /// The flow's handle.
    package let flow: String
    /// The calling app.
    package let app: AppCaller

    package init(_ proof: [UInt8], purpose: FlowKind, flow: String, app: AppCaller) {
        self.proof = proof
        self.purpose = purpose
        self.flow = flow
        self.app = app
    }

    /// Returns the next step.
    package func run(_ run: UseCaseRun<FlowOutcomeResponse>) async throws -> FlowOutcomeResponse {
        let context = run.context, time = run.call.time, store = FlowStore(context: context)
        var row = try await store.load(handle: flow, purpose: purpose, app: app, at: time, run.firstRows)
        guard row.state.step == .key else { throw ServiceError(.flowWrongStep) }
        let challenge = try Challenge(kept: row.state.challenge)
        do {
            try challenge.checkExpiry(at: time)
        } catch {
            throw ServiceError(.flowExpired)
        }
        let signature: Signature
        do {
            signature = try challenge.verifyKeyProof(proof)
        } catch {
            let key = try EmployeePublicKey(kept: row.state.employeePublicKey)
            let isOverText = KeyProof.isOverBase64(proof, of: row.state.challenge, by: key)
            let fault = isOverText ? KeyFault.signatureOverText : .signatureInvalid
            throw ServiceError(.employeeKeyInvalid, members: [fault.member], challenge: row.state.challenge)
        }
        row.state.proved = FlowState.ProvedKey(challenge: row.state.challenge, signature: signature.bytes)
        if purpose == .registration { try await refuseRegistered(row.state, at: time, context) }
        let outcome = try await next(&row.state, at: time, context)
        // A request for a recovery ends its flow here, and an outcome is on disk before it is revealed.
        try await store.replace(row, answering: run.ticket, .success(outcome), waits: row.state.step == .done)
        return outcome
    }

    /// Refuses a taken employee id early. The claim alone decides at the end.
    private func refuseRegistered(_ state: FlowState, at time: Timestamp, _ context: ServiceContext) async throws {
        let subject = try await context.subject(company: state.companyName, employee: state.companyEmployeeId)
        guard let employee = subject.employee else { return }
        // A provisional account gives way to an invitation, and to any registration once its time is over.
        let holder = try await StateLoader(reader: context.reader).employee(employee, in: subject.tenantId)
        let release: Employee.ReleaseID = state.registration?.invitation == nil ? .expired(at: time) : .invited
        guard let events = try? Employee.decide(holder.state, .releaseID(release)), !events.isEmpty else {
            throw ServiceError(.employeeAlreadyRegistered)
        }
    }

    private func next(
        _ state: inout FlowState, at time: Timestamp, _ context: ServiceContext
    ) async throws -> FlowOutcomeResponse {
        state.challenge = try context.challenge(for: state, at: time)
        if case .recovery(let account, _) = state.purpose {
            return try await RequestRecovery(context: context).next(&state, account, app, at: time)
        }
        guard state.registration?.userExists != false else {
            let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(state.tenantId))
            state.step = .credentials
            return .setCredentials(
                challenge: state.challenge, rules: CredentialRulesResponse(tenant.state.policy, app),
                setUp: try plan(&state, context.settings.scrypt))
        }
        let target = try await ChallengedCredential.load(.keyStep, for: state, context)
        return try asking(&state, target)
    }

    /// The question for a user with credentials, or for a decoy.
    private func asking(_ state: inout FlowState, _ target: ChallengedCredential) throws -> FlowOutcomeResponse {
        let policy = try target.policy(for: state)
        let opening = target.sealed.context
        let shown = target.questions
        let blind = OpeningResponse(context: opening.bytes, recordHash: target.recordHash)
        guard opening.acceptsPassphrase else {
            state.step = .answers
            state.questionsAllowed = true
            return .validateAnswers(challenge: state.challenge, questions: shown, opening: blind)
        }
        state.step = .passphrase
        state.questionsAllowed = opening.acceptsAnswers && policy.questionsWithPassphrase
        return .validatePassphrase(
            challenge: state.challenge, questions: state.questionsAllowed ? shown : nil, opening: blind)
    }

    /// Draws the seed of the new credentials, in either mode, and returns its public half.
    private func plan(_ state: inout FlowState, _ kdf: ScryptParameters) throws -> SetUpPlanResponse {
        let seed = try OPRFSeed.generate()
        state.setUp = FlowState.SetUp(seed: seed.bytes)
        return SetUpPlanResponse(credentialId: state.credentialId, userId: state.userId, keys: try seed.keys(), kdf)
    }
}
