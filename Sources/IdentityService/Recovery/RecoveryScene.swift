import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Everything that a decision about a recovery is made on.
struct RecoveryScene: Sendable {
    let access: CompanyAccess
    let employee: EmployeeSnapshot
    let user: UserSnapshot
    let decider: Identity.EmployeeCaller
    let signer: Fingerprint
    let target: User.RecoveryTarget
    let reach: User.RecoveryReach
    /// The statement that refuses the append when the reach is another by then.
    let stillSo: SQL

    /// Loads it for a caller: an admin of the company, or the employee whom the recovery is about.
    ///
    /// A company of somebody else is answered like one that does not exist; and who is neither is told nothing of employees.
    init(
        _ input: RecoveryDecisionInput, _ fingerprint: Fingerprint, caller: EmployeeCaller, _ context: ServiceContext
    ) async throws {
        let name = try parsed { () throws(ValueError) in try CompanyName(input.company) }
        let id = try parsed { () throws(ValueError) in try CompanyEmployeeID(input.companyEmployeeId) }
        let tenant = TenantID(context.ring.tenantID(companyName: name.canonical))
        guard caller.tenantId == tenant.uuid else { throw ServiceError(.companyUnknown) }
        let claim = try await context.reader.claim(context.ring.employeeClaim(id, in: tenant))
        if claim?.owner == caller.employeeId {
            let own = try await OwnDevices(of: caller, context)
            (access, employee) = (own.access, own.employee)
        } else {
            access = try await context.access(input.company, .employee(caller), role: .authorization)
            employee = try await context.employee(input.companyEmployeeId, in: tenant)
        }
        guard case .employee(let decider) = access.decider, let signer = Fingerprint(caller.fingerprint),
            let account = employee.state.account
        else { throw ServiceError(.authorizationNotPermitted) }
        self.decider = decider
        self.signer = signer
        user = try await StateLoader(reader: context.reader).user(account.user)
        target = User.RecoveryTarget(tenant: tenant, employee: employee.id, fingerprint: fingerprint)
        (reach, stillSo) = try await context.recoveryReach(of: user, in: access.tenant)
    }

    /// Refuses what could never be completed: an employee who may not log in, and a key that was turned down for ever.
    func requireRecoverable() throws(ServiceError) {
        guard let account = employee.state.account, account.status != .cancelled, !user.state.isErased else {
            throw ServiceError(.employeeInactive)
        }
        guard account.status == .active else { throw ServiceError(.employeeNotApproved) }
        for key in employee.state.keys.values where ServiceContext.fingerprint(of: key.key) == target.fingerprint.bytes
        {
            guard key.status == .pending || key.status == .authorized else {
                throw ServiceError(.authorizationNotPermitted)
            }
        }
    }

    /// The leaf hash of the event that opened the recovery; of the user's latest where none is open.
    func follows(_ action: RecoveryDecisionInput.Action) throws(ServiceError) -> [UInt8] {
        let position = action == .open ? user.leaves.keys.max() : user.state.recovery?.opened.position
        guard let leaf = position.flatMap({ user.leaves[$0] }) else { throw ServiceError(.recoveryUnknown) }
        return leaf
    }
}
