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
        // Where there is nobody, a colleague is looked up in the same way, and then passed over.
        let approved = try await approval(of: state, fingerprint, at: time)
        if !state.isDecoy, let approved { return try await plan(&state, approved) }
        try await RecoveryRequests(context: context).put(
            EmployeeID(state.employeeId), fingerprint,
            in: state.isDecoy ? FlowStore.ledger(of: state.id) : LedgerID(state.tenantId),
            lifetime: state.isDecoy ? RecoveryRequests.decoyLifetime : User.recoveryLifetime, at: time)
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
        let loader = StateLoader(reader: context.reader)
        let tenant = try await loader.tenant(TenantID(state.tenantId))
        let wanted: (UUID, UUID)? =
            state.isDecoy
            ? state.standIn.map { ($0.userId, $0.employeeId) } : (state.userId, state.employeeId)
        guard let (userId, employeeId) = wanted else { return nil }
        let user = try await loader.user(UserID(userId))
        let employee = try await loader.employee(EmployeeID(employeeId), in: tenant.id)
        let target = User.RecoveryTarget(tenant: tenant.id, employee: employee.id, fingerprint: fingerprint)
        guard let recovery = user.state.openRecovery(at: time), recovery.isAbout(target),
            recovery.credential.uuid == state.credentialId, employee.state.account?.status == .active,
            let opened = user.leaves[recovery.opened.position],
            let confirmed = recovery.confirmed.flatMap({ user.leaves[$0.position] })
        else { return nil }
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
