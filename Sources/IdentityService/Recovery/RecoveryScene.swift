import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import TenureAPI

/// The facts that a decision about a recovery is made on.
struct RecoveryScene: Sendable {
    let access: CompanyAccess
    let employee: EmployeeSnapshot
    let user: UserSnapshot
    let account: User.RecoveryAccount
    /// The statement that makes the append fail if the reach has changed.
    let stillSo: SQL

    /// Loads the facts for a caller: an admin of the tenant, or the employee whom the recovery is about.
    ///
    /// Another tenant gets the same error as one that does not exist. A caller who is neither learns nothing about
    /// employees.
    ///
    /// - Throws: `request.invalid`, `company.unknown`, `employee.unknown` or `authorization.not_permitted`.
    init(_ request: DecideRecovery, _ fingerprint: KeyFingerprint, _ context: ServiceContext) async throws {
        let caller = request.caller
        let name = try parsed { () throws(ValueError) in try CompanyName(request.company) }
        let id = try parsed { () throws(ValueError) in try CompanyEmployeeID(request.companyEmployeeId) }
        let tenant = TenantID(context.ring.tenantID(companyName: name.canonical))
        guard caller.tenantId == tenant.uuid else { throw ServiceError(.companyUnknown) }
        let claim = try await context.reader.claim(context.ring.employeeClaim(id, in: tenant))
        if claim?.owner == caller.employeeId {
            let own = try await OwnDevices(of: caller, context)
            (access, employee) = (own.access, own.employee)
        } else {
            access = try await context.access(request.company, .employee(caller), role: .authorization)
            employee = try await context.employee(request.companyEmployeeId, in: tenant)
        }
        guard access.signer != nil, let holder = employee.state.account else {
            throw ServiceError(Denial.noSigningKey)
        }
        user = try await StateLoader(reader: context.reader).user(holder.user)
        let (reach, stillSo) = try await context.recoveryReach(of: user, in: access.tenant)
        self.stillSo = stillSo
        account = User.RecoveryAccount(
            target: User.RecoveryTarget(tenant: tenant, employee: employee.id, fingerprint: fingerprint),
            state: employee.state, role: try await context.strongestRole(of: user.id, in: access.tenant), reach: reach)
    }

    /// Whether no other admin of the tenant could confirm. One decision then suffices, after twice the delay.
    var isSoleAdmin: Bool { access.tenant.state.admins.isEmpty }

    func opening(by decision: AuthorityDecision, delay: Duration, at time: Timestamp) -> User.OpenRecovery {
        User.OpenRecovery(
            id: RecoveryID(UUID()), account: account, decision: decision, delay: delay, soleAdmin: isSoleAdmin,
            time: time)
    }

    /// Refuses a recovery that could never be completed: the employee may not log in, or the key was refused or revoked
    /// for good.
    func requireRecoverable() throws(ServiceError) {
        guard let holder = employee.state.account, holder.status != .cancelled, !user.state.isErased else {
            throw ServiceError(.employeeInactive)
        }
        guard holder.status == .active else { throw ServiceError(.employeeNotApproved) }
        for key in employee.state.keys.values where key.fingerprint == account.target.fingerprint {
            guard key.status == .pending || key.status == .authorized else {
                throw ServiceError(Denial.keyEnded)
            }
        }
    }

    /// The leaf hash of the event that opened the recovery; for a new recovery that of the user's latest event.
    ///
    /// - Throws: `recovery.unknown` without such an event.
    func follows(_ action: DecideRecovery.Action) throws(ServiceError) -> [UInt8] {
        let position = action == .open ? user.leaves.keys.max() : user.state.recovery?.opened.position
        guard let leaf = position.flatMap({ user.leaves[$0] }) else { throw ServiceError(.recoveryUnknown) }
        return leaf
    }
}

extension ServiceContext {
    /// Whether a tenant's decisions suffice for a user, and the statement that makes the append fail if that has
    /// changed.
    ///
    /// The append also guards the user's stream, which says who holds the address, and the tenant's, which says which
    /// domains are confirmed.
    func recoveryReach(
        of user: UserSnapshot, in tenant: TenantSnapshot
    ) async throws -> (reach: User.RecoveryReach, stillSo: SQL) {
        let accounts = try await accounts(of: user.id)
        let isElsewhere = accounts.contains { $0.tenant != tenant.id }
        let ownsAddress = isElsewhere ? try await owns(addressOf: user, tenant) : false
        return (
            User.RecoveryReach(hasAccountsElsewhere: isElsewhere, ownsAddress: ownsAddress),
            stillAccounts(accounts.count, of: user.id)
        )
    }

    /// The strongest role among the accounts that a user has in a tenant: whoever replaces the credentials of one account
    /// replaces those of all.
    func strongestRole(of user: UserID, in tenant: TenantSnapshot) async throws -> EmployeeRole {
        let roles = try await employees(of: user, in: tenant.id).map(tenant.state.role)
        return [.securityAdmin, .admin].first(where: roles.contains) ?? .employee
    }

    private func owns(addressOf user: UserSnapshot, _ tenant: TenantSnapshot) async throws -> Bool {
        guard !tenant.state.confirmedDomains.isEmpty else { return false }
        let keys = try await personKeys.load([user.id.uuid], ledger: LedgerID.directory(of: user.id).uuid)
        let opened = User.fold(try user.events.map { try EventCodec.decode($0, keys: keys) })
        guard opened.isAddressSettled(at: settings.now()), let text = opened.email?.text,
            let address = try? EmailAddress(recorded: text)
        else { return false }
        return tenant.state.hasConfirmed(address)
    }
}
