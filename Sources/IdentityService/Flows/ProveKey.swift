import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys

/// The device proves possession of its key; only now the next step is told.
struct ProveKey: Sendable {
    let context: ServiceContext

    func run(
        purpose: FlowPurpose, flow: FlowOpening, proof: [UInt8], app: AppCaller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> FlowOutcome {
        let store = FlowStore(context: context)
        let step = try await store.step(flow, purpose: purpose, app: app, call: call, ticket: ticket)
        var row = step.row
        guard row.state.step == .key else { throw ServiceError(.flowWrongStep) }
        let challenge = try Challenge(kept: row.state.challenge)
        do {
            try challenge.checkExpiry(at: call.time)
        } catch {
            throw ServiceError(.flowExpired)
        }
        let signature: Signature
        do {
            signature = try challenge.verifyKeyProof(proof)
        } catch {
            throw ServiceError(.employeeKeyInvalid, challenge: row.state.challenge)
        }
        row.state.proved = FlowState.ProvedKey(challenge: row.state.challenge, signature: signature.bytes)
        if purpose == .registration { try await refuseRegistered(row.state) }
        let (outcome, scene) = try await next(&row.state, step.known, at: call.time)
        // The request for a recovery ends its flow here, and an outcome is on the disk before it is told.
        let replaced = try await store.replace(
            row, answering: ticket, outcome, waits: row.state.step == .done)
        if let scene { context.flows.remember(replaced, scene) }
        return outcome
    }

    /// Tells early what the claim would tell at the end; the claim alone decides.
    private func refuseRegistered(_ state: FlowState) async throws {
        let subject = try await context.subject(company: state.companyName, employee: state.companyEmployeeId)
        guard subject.employee == nil else { throw ServiceError(.employeeAlreadyRegistered) }
    }

    private func next(
        _ state: inout FlowState, _ known: FlowStep.Known?, at time: Timestamp
    ) async throws -> (FlowOutcome, FlowScene?) {
        state.challenge = try context.challenge(for: state, at: time)
        if state.purpose == .recovery {
            let outcome = try await RequestRecovery(context: context).next(&state, at: time)
            return (outcome, nil)
        }
        guard state.userExists || state.isDecoy else {
            let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(state.tenantId))
            state.step = .credentials
            let outcome = FlowOutcome.setCredentials(
                challenge: state.challenge,
                rules: CredentialRules(
                    questionsWithPassphraseAllowed: tenant.state.policy.questionsWithPassphrase,
                    blindOnly: tenant.state.policy.blindOnly), setUp: try plan(&state))
            return (outcome, nil)
        }
        let target = try await ChallengedCredential.load(.keyStep, for: state, known: known, context)
        return (try asking(&state, target), target.scene)
    }

    /// What somebody with credentials, or nobody, is asked for.
    private func asking(_ state: inout FlowState, _ target: ChallengedCredential) throws -> FlowOutcome {
        let policy = try target.policy(for: state)
        let opening = target.sealed.context
        let shown = target.questions
        let blind = CredentialOpening(context: opening.bytes, recordHash: target.recordHash)
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

    /// Draws the seed of the credentials to be set, in whichever mode, and tells the public half.
    private func plan(_ state: inout FlowState) throws -> CredentialSetUpPlan {
        let seed = try OPRFSeed.generate()
        state.seed = seed.bytes
        let keys = try seed.keys(), kdf = context.settings.scrypt
        return CredentialSetUpPlan(
            credentialId: state.credentialId, userId: state.userId, oprfAnswers: keys.answers.publicKey.bytes,
            oprfPassphrase: keys.passphrase.publicKey.bytes, log2N: Int(kdf.log2N), r: Int(kdf.r), p: Int(kdf.p))
    }
}
