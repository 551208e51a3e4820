import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger

/// What the device step of a recovery leads to: new credentials when two persons approved this key, and otherwise a
/// request that waits for them.
///
/// Whoever asks is told the same whether there is such an employee or not, and nothing of what was decided before both
/// have: the flow ends, and the same key asks again later.
struct RequestRecovery: Sendable {
    let context: ServiceContext

    func next(_ state: inout FlowState, at time: Timestamp) async throws -> FlowOutcome {
        let fingerprint = try state.fingerprint
        // Where there is nobody, a colleague's credentials are looked up in the same way, and then passed over.
        let approved = try await approval(of: state, fingerprint, at: time)
        if !state.isDecoy, let approved { return try await plan(&state, approved) }
        let place = RecoveryRequests.place(of: state, fingerprint, context.ring)
        try await RecoveryRequests(context: context).put(place, at: time)
        state = state.finished
        return .authorizationPending(
            employeePublicKey: state.employeePublicKey, fingerprint: fingerprint.description, position: nil)
    }

    private struct Approved {
        var recovery: PendingRecovery
        var previous: PreviousCredentials
        var policy: TenantPolicy
    }

    private func approval(
        of state: FlowState, _ fingerprint: Fingerprint, at time: Timestamp
    ) async throws -> Approved? {
        // The credentials in force and what came after, and nothing of the employee: how long histories are would show.
        let scene = try await FlowScene.load(.tenant, for: state, context).scene
        guard let tenant = scene.tenant, let user = scene.user else {
            throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1)
        }
        let employeeId = EmployeeID(state.employeeId)
        let target = User.RecoveryTarget(tenant: tenant.id, employee: employeeId, fingerprint: fingerprint)
        guard let recovery = user.state.openRecovery(at: time), recovery.isAbout(target),
            recovery.credential.uuid == state.credentialId, let opened = user.leaves[recovery.opened.position],
            let confirmed = recovery.confirmed.flatMap({ user.leaves[$0.position] })
        else { return nil }
        let employee = try await StateLoader(reader: context.reader).employee(employeeId, in: tenant.id)
        guard employee.state.account?.status == .active else { return nil }
        return Approved(
            recovery: PendingRecovery(opened: opened, confirmed: confirmed),
            previous: try await context.previousCredentials(of: state), policy: tenant.state.policy)
    }

    /// Draws the seed of the new credentials, and tells what their record must repeat.
    private func plan(_ state: inout FlowState, _ approved: Approved) async throws -> FlowOutcome {
        let seed = try OPRFSeed.generate(), keys = try seed.keys(), kdf = context.settings.scrypt
        state.step = .credentials
        state.seed = seed.bytes
        state.recovery = approved.recovery
        let plan = CredentialSetUpPlan(
            credentialId: approved.recovery.credentialId, userId: state.userId,
            oprfAnswers: keys.answers.publicKey.bytes, oprfPassphrase: keys.passphrase.publicKey.bytes,
            log2N: Int(kdf.log2N), r: Int(kdf.r), p: Int(kdf.p),
            previous: .init(hash: approved.previous.hash, generation: Int(approved.previous.generation)),
            approvals: .init(opened: approved.recovery.opened, confirmed: approved.recovery.confirmed))
        return .setCredentials(
            challenge: state.challenge,
            rules: CredentialRules(
                questionsWithPassphraseAllowed: approved.policy.questionsWithPassphrase,
                blindOnly: approved.policy.blindOnly),
            setUp: plan)
    }
}
