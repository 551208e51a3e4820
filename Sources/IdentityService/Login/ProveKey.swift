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
    /// The signature of the device key over the flow's challenge, DER or 64 raw bytes, or the evidence of a passkey that
    /// the flow began with.
    package let proof: [UInt8]
    package let purpose: FlowKind
    package let flow: String
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
        let rules = row.state.passkey == nil ? nil : try await context.passkeyRules()
        let signature = try row.state.signature(proof, at: time, rules)
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
        let target = try await ChallengedCredential.load(.keyStep(of: state), for: state, context)
        return try asking(&state, target)
    }

    /// The question for a user with credentials, or for a decoy.
    private func asking(_ state: inout FlowState, _ target: ChallengedCredential) throws -> FlowOutcomeResponse {
        let opening = target.sealed.context
        let shown = target.questions
        let blind = OpeningResponse(context: opening.bytes, recordHash: target.recordHash)
        guard opening.acceptsPassphrase else {
            state.step = .answers
            state.questionsAllowed = true
            return .validateAnswers(challenge: state.challenge, questions: shown, opening: blind)
        }
        state.step = .passphrase
        // In a log-in by an address the tenant is not known yet, which may permit no questions beside a passphrase.
        let isPermitted = try state.address == nil && target.policy(for: state).questionsWithPassphrase
        state.questionsAllowed = opening.acceptsAnswers && isPermitted
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

extension FlowState {
    /// Verifies the device's signature over the flow's challenge, and returns it as it is stored.
    ///
    /// - Throws: `flow.expired` for a challenge whose time is over, or `employee.key_invalid`.
    fileprivate func signature(
        _ proof: [UInt8], at time: Timestamp, _ rules: PasskeyRules?
    ) throws -> DeviceEvidence {
        guard address == nil else {
            let challenge = try AddressChallenge(parsing: challenge)
            do { try challenge.checkExpiry(at: time) } catch { throw ServiceError(.flowExpired) }
            return try evidence(proof, over: challenge, rules)
        }
        let challenge = try Challenge(kept: challenge)
        do { try challenge.checkExpiry(at: time) } catch { throw ServiceError(.flowExpired) }
        return try evidence(proof, over: challenge, rules)
    }

    private func evidence(
        _ proof: [UInt8], over challenge: some DeviceChallenge, _ rules: PasskeyRules?
    ) throws -> DeviceEvidence {
        do {
            let evidence = try challenge.verifyKeyProof(proof)
            try evidence.check(passkey?.identity, origins: rules?.origins.map(\.text) ?? [])
            return evidence
        } catch {
            throw keyInvalid(proof, over: challenge.bytes)
        }
    }

    /// The refusal of a device's signature over a challenge, which may be tried again.
    func keyInvalid(_ proof: [UInt8], over challenge: [UInt8]) -> ServiceError {
        let key = try? EmployeePublicKey(kept: employeePublicKey)
        let isOverText = key.map { KeyProof.isOverBase64(proof, of: challenge, by: $0) } ?? false
        let fault = isOverText ? KeyFault.signatureOverText : .signatureInvalid
        return ServiceError(.employeeKeyInvalid, members: [fault.member], challenge: challenge)
    }
}
