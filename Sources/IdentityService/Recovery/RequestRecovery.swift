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

/// An approved recovery, between the device's proof and the new credentials.
struct ApprovedRecovery: Sendable, Equatable {
    /// The id of the new credential.
    var credentialId: UUID
    /// The hash of the event that opened the recovery, 32 bytes.
    var opened: [UInt8]
    /// The hash of the event that confirmed it, 32 bytes; zeros if a single admin's decision suffices.
    var confirmed: [UInt8]

    /// The value in place of a confirmation that is not needed.
    static let noConfirmation = [UInt8](repeating: 0, count: 32)

    init(credentialId: UUID = UUID(), opened: [UInt8], confirmed: [UInt8]) {
        self.credentialId = credentialId
        self.opened = opened
        self.confirmed = confirmed
    }

    /// The authority for the new record.
    var authority: SetUpAuthority { .recovered(firstApproval: opened, secondApproval: confirmed) }

    /// The plaintext in the flow's row.
    var json: JSONValue {
        .object([
            "credential": .string(credentialId.lowercased), "opened": .string(Base64URL.encode(opened)),
            "confirmed": .string(Base64URL.encode(confirmed)),
        ])
    }

    /// Decodes the value that ``json`` encodes.
    init(reading object: ObjectReader) throws {
        var object = object
        credentialId = try object.uuid("credential")
        opened = try object.bytes("opened", count: 32)
        confirmed = try object.bytes("confirmed", count: 32)
        try object.finish()
    }
}
