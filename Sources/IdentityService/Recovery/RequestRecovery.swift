import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import TenureAPI

/// Handles the device step of a recovery.
///
/// If two people approved this key, it continues with new credentials after the waiting time, and fails with
/// `recovery.not_available` before. Otherwise it stores a request for the admins and ends the flow; the same key asks
/// again later.
///
/// The reply is the same whether or not the employee exists, and reveals no decision before both were made.
struct RequestRecovery: Sendable {
    let context: ServiceContext

    func next(
        _ state: inout FlowState, _ account: FlowState.Account, _ app: AppCaller, at time: Timestamp
    ) async throws -> FlowOutcomeResponse {
        let fingerprint = try state.fingerprint
        // For a decoy a colleague's credentials are looked up in the same way, and discarded.
        let approved = try await approval(of: state, fingerprint, at: time)
        if !state.isDecoy, let approved { return try await plan(&state, account, approved, app) }
        let place = RecoveryWaitingList.Place(of: state, fingerprint)
        try await RecoveryWaitingList(context: context).put(place, at: time)
        state = state.finished
        return .authorizationPending(
            employeePublicKey: state.employeePublicKey, fingerprint: fingerprint.description, position: nil)
    }

    private struct Approved {
        var recovery: ApprovedRecovery
        var previous: PreviousCredentials
        var policy: TenantPolicy
    }

    private func approval(
        of state: FlowState, _ fingerprint: KeyFingerprint, at time: Timestamp
    ) async throws -> Approved? {
        // Reads the credentials in force and later events, and nothing of the employee: otherwise the time would reveal
        // the length of a history.
        let scene = try await FlowScene.load(.tenant, for: state, context), user = scene.user
        guard let tenant = scene.tenant else { throw ProgramDefect("the tenant was not read") }
        let employeeId = EmployeeID(state.employeeId)
        let target = User.RecoveryTarget(tenant: tenant.id, employee: employeeId, fingerprint: fingerprint)
        guard let recovery = user.state.openRecovery(at: time), recovery.isAbout(target),
            recovery.credential.uuid == state.credentialId, recovery.isApproved,
            let opened = user.leaves[recovery.opened.position]
        else { return nil }
        let employee = try await StateLoader(reader: context.reader).employee(employeeId, in: tenant.id)
        guard !state.isDecoy, employee.state.account?.status == .active else { return nil }
        guard recovery.isAvailable(at: time, employee.state) else {
            throw ServiceError.notAvailable(recovery, at: time)
        }
        let confirmed = recovery.confirmation.flatMap { user.leaves[$0.place.position] }
        return Approved(
            recovery: ApprovedRecovery(opened: opened, confirmed: confirmed ?? ApprovedRecovery.noConfirmation),
            previous: try await context.previousCredentials(of: state), policy: tenant.state.policy)
    }

    /// Draws the seed of the new credentials, and returns what their record must repeat.
    private func plan(
        _ state: inout FlowState, _ account: FlowState.Account, _ approved: Approved, _ app: AppCaller
    ) async throws -> FlowOutcomeResponse {
        let seed = try OPRFSeed.generate()
        state.step = .credentials
        state.setUp = FlowState.SetUp(seed: seed.bytes)
        state.purpose = .recovery(account, approved.recovery)
        let plan = SetUpPlanResponse(
            credentialId: approved.recovery.credentialId, userId: state.userId, keys: try seed.keys(),
            context.settings.scrypt, previous: approved.previous,
            approvals: .init(opened: approved.recovery.opened, confirmed: approved.recovery.confirmed))
        return .setCredentials(
            challenge: state.challenge, rules: CredentialRulesResponse(approved.policy, app), setUp: plan)
    }
}
