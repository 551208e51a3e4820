package import Canonical
package import ErrorCodes
import Text

/// A customer organisation: its policy, admins, apps and domains.
///
/// The state is folded from the first event of the tenant's ledger, the founder's `EmployeeRegistered`, and from the
/// tenant's own stream.
package enum Tenant: Decider {
    package typealias Event = TenantEvent

    /// No founder, and the initial policy.
    package static let initial = State()

    package static func decide(_ state: State, _ command: Command) throws(Rejection) -> [TenantEvent] {
        switch command {
        case .found(let app, let policy):
            guard state.founding == nil, state.linkedApps.isSubset(of: [app]) else { throw .alreadyFounded }
            // The policy comes first: once an app is linked, no founding sets one.
            guard state.linkedApps.isEmpty else { return [] }
            let set = policy == state.policy ? [] : [TenantPolicyChanged(policy: policy, by: .founding)]
            return set.map(TenantEvent.policyChanged) + [.appLinked(AppLinked(appID: app, by: .founding))]
        case .changePolicy(let change, let by):
            return try changePolicy(state, change, by)
        case .changeMPinPolicy(let policy, let by):
            try check(state, .changeMPinPolicy, .tenant, by)
            guard policy.isValid else { throw .invalidPolicy }
            return state.mpinPolicy == policy
                ? [] : [.mpinPolicyChanged(MPinPolicyChanged(policy: policy, by: by.authority))]
        case .confirmDomain(let domain, let by):
            try check(state, .confirmDomain, .tenant, by)
            return try confirm(state, domain, by)
        case .reclaimAddress(let reclaim, let by):
            try check(state, .reclaimEmail, .newcomer, by)
            guard state.hasConfirmed(reclaim.email) else { throw .emailNotReclaimable }
            return [
                .addressReclaimed(AddressReclaimed(userID: reclaim.user, reason: reclaim.reason, by: by.authority))
            ]
        case .linkApp(let app, let roles, let by):
            try check(state, .linkApp, .tenant, by)
            guard state.links[app] != roles else { return [] }
            guard roles.contains(.access) || isAnotherApp(than: app, state) else { throw .lastApp }
            return [.appLinked(AppLinked(appID: app, roles: roles, by: by.authority))]
        case .unlinkApp(let app, let by):
            try check(state, .linkApp, .tenant, by)
            guard state.links[app] != nil else { return [] }
            guard isAnotherApp(than: app, state) else { throw .lastApp }
            return [.appUnlinked(AppUnlinked(appID: app, by: by.authority))]
        case .appointAdmin(let target, let by):
            return try appoint(state, target, by)
        case .dismissAdmin(let employee, let user, let by):
            guard state.role(of: employee) != .securityAdmin else { throw .securityAdmin }
            try check(state, .dismissAdmin, AuthoritySubject(employee, of: user, role: .admin), by)
            guard state.role(of: employee) == .admin else { return [] }
            return [.adminDismissed(AdminDismissed(employeeID: employee, by: by.authority))]
        case .succeedSecurityAdmin(let target, let loggedInAt, let time, let by):
            return try succeed(state, target, loggedInAt, time, by)
        }
    }

    /// Replaces the policy; does nothing if it is in force.
    ///
    /// A policy that would lock the tenant or somebody out is refused: one that wants a secret or a passkey of people
    /// who have none.
    private static func changePolicy(
        _ state: State, _ change: PolicyChange, _ by: AuthorityDecision
    ) throws(Rejection) -> [TenantEvent] {
        try check(state, .changePolicy, .tenant, by)
        let policy = change.policy, former = state.policy
        guard policy != former else { return [] }
        guard case .employee(let caller) = by.caller else { throw .notPermitted }
        let isBound = caller.boundKeys.contains(by.signer)
        if policy.adminsNeedPasskey != former.adminsNeedPasskey {
            guard isBound else { throw .passkeyNeeded }
            guard let settled = caller.settledAt[by.signer], settled <= change.time else { throw .passkeyTooNew }
        }
        if policy.logIn != former.logIn {
            guard policy.logIn != .secret || change.secretless.isEmpty else { throw .secretlessPeople }
            guard policy.logIn != .passkey || change.passkeyless.isEmpty else { throw .passkeylessPeople }
            guard policy.logIn != .passkey || isBound || caller.syncedKeys.contains(by.signer) else {
                throw .passkeyNeeded
            }
        }
        return [.policyChanged(TenantPolicyChanged(policy: policy, by: by.authority))]
    }

    /// The time after a log-in in which the security admin may name a successor.
    package static let recentLogIn: Duration = .seconds(600)

    private static func appoint(
        _ state: State, _ target: RoleTarget, _ by: AuthorityDecision
    ) throws(Rejection) -> [TenantEvent] {
        guard state.role(of: target.employee) != .securityAdmin else { throw .securityAdmin }
        try check(
            state, .appointAdmin, AuthoritySubject(target.employee, of: target.user, role: .employee), by)
        guard state.role(of: target.employee) == .employee else { return [] }
        guard target.status == .active else { throw .inactive }
        guard !target.roleKeys.isEmpty else { throw .noRoleKey }
        return [
            .adminAppointed(
                AdminAppointed(employeeID: target.employee, fingerprints: target.roleKeys, by: by.authority))
        ]
    }

    private static func succeed(
        _ state: State, _ target: RoleTarget, _ loggedInAt: Timestamp?, _ time: Timestamp, _ by: AuthorityDecision
    ) throws(Rejection) -> [TenantEvent] {
        if state.securityAdmin == target.employee { return try bringBack(state, target, by) }
        try check(state, .succeed, .securityAdmin, by)
        if case .employee(let caller) = by.caller {
            guard let loggedInAt, time <= loggedInAt.adding(recentLogIn) else { throw .loginTooOld }
            // Otherwise a stolen mailbox and credential would outrun the keys that may undo the return.
            if let end = caller.returnUndoableUntil, time < end { throw .returnUndoable }
        }
        guard target.status == .active else { throw .inactive }
        guard !target.roleKeys.isEmpty else { throw .noRoleKey }
        return [
            .securityAdminSucceeded(
                SecurityAdminSucceeded(
                    employeeID: target.employee, fingerprints: target.roleKeys, by: by.authority))
        ]
    }

    /// Names the present security admin with other device keys. Only the operator does; anybody else changes nothing.
    private static func bringBack(
        _ state: State, _ target: RoleTarget, _ by: AuthorityDecision
    ) throws(Rejection) -> [TenantEvent] {
        guard case .operator = by.caller else {
            try check(state, .succeed, .securityAdmin, by)
            return []
        }
        try check(state, .returnToRole, .securityAdmin, by)
        guard target.status == .active else { throw .inactive }
        guard target.namedKeys != nil else { return [] }
        let keys = target.returningKeys
        guard !keys.isEmpty else { throw .noRoleKey }
        guard Set(keys) != target.presentKeys else { return [] }
        return [
            .securityAdminSucceeded(
                SecurityAdminSucceeded(employeeID: target.employee, fingerprints: keys, by: by.authority))
        ]
    }

    /// Whether another app than the given one can log people in.
    private static func isAnotherApp(than app: AppID, _ state: State) -> Bool {
        state.links.contains { $0.key != app && $0.value.contains(.access) }
    }

    private static func check(
        _ state: State, _ action: AuthorityTable.Action, _ subject: AuthoritySubject, _ by: AuthorityDecision
    ) throws(Rejection) {
        guard state.founding != nil else { throw .unknownTenant }
        guard AuthorityTable.permits(action, about: subject, by: by) else { throw .notPermitted }
    }

    private static func confirm(
        _ state: State, _ domain: CompanyName, _ by: AuthorityDecision
    ) throws(Rejection) -> [TenantEvent] {
        // A tenant owns an address if the address's domain is the tenant's name, so no other domain has an effect.
        guard let text = state.companyName, let name = try? CompanyName(recorded: text), name == domain else {
            throw .domainNotCompanyName
        }
        guard let confirmed = domain.domainName?.ascii else { throw .domainInvalid }
        guard !state.confirmedDomains.contains(confirmed) else { return [] }
        return [
            .domainConfirmed(
                DomainConfirmed(domain: domain.canonicalText, aLabel: confirmed, by: by.authority))
        ]
    }
}

extension Tenant {
    /// The state of a tenant, folded from its events.
    package struct State: Sendable, Equatable {
        /// The place of the founder's registration; `nil` before it.
        package internal(set) var founding: EventPlace?
        package internal(set) var founder: EmployeeID?
        /// The tenant's name as first entered.
        package internal(set) var companyName: String?
        /// The one security admin: the founder, or the latest successor.
        package internal(set) var securityAdmin: EmployeeID?
        /// The event that made the security admin.
        package internal(set) var securityAdminSince: EventPlace?
        /// The device keys that this event lists; `nil` for the founder.
        package internal(set) var securityAdminKeys: Set<KeyFingerprint>?
        /// When the last succession was; `nil` while the founder is the security admin by founding.
        package internal(set) var succeededAt: Timestamp?
        /// Whether anybody but the founder ever got the role of an admin, or the operator named the security admin.
        package internal(set) var hasAppointed = false
        /// The appointed admins.
        package internal(set) var admins: [EmployeeID: Appointment] = [:]
        package internal(set) var policy = TenantPolicy.initial
        /// The event that set the policy; `nil` while it is the initial one.
        package internal(set) var policySince: EventPlace?
        package internal(set) var mpinPolicy = MPinPolicy.initial
        /// The event that set the policy for M-Pin; `nil` while it is the initial one.
        package internal(set) var mpinPolicySince: EventPlace?
        /// Longer recovery delays that shorter ones replaced. Each stays in force until it has passed once more.
        package internal(set) var replacedDelays: [ReplacedDelay] = []
        /// The linked apps, with the roles of their links.
        package internal(set) var links: [AppID: RoleSet] = [:]
        /// The position of the event that last ended the link of each app.
        package internal(set) var unlinkedAt: [AppID: Int64] = [:]
        /// For each app whose link has ADMINISTRATION, the event since which it has had that role without interruption.
        package internal(set) var administrationSince: [AppID: EventPlace] = [:]
        /// The domains that the tenant controls, in A-labels. All are spellings of the tenant's name.
        package internal(set) var confirmedDomains: Set<String> = []

        package var linkedApps: Set<AppID> { Set(links.keys) }

        package func links(_ app: AppID, as role: AppRole) -> Bool { links[app]?.contains(role) == true }

        package func hasConfirmed(_ email: EmailAddress) -> Bool { email.isIn(confirmedDomains) }

        /// Whether an address may be registered as the tenant's own.
        ///
        /// It is in a confirmed domain. Without one it is in the domain that is the tenant's name, as the founder entered
        /// it: names that fold to one text are one tenant's, and may be domains of different owners.
        ///
        /// - Parameter entered: The name that is used while nobody has founded the tenant.
        package func owns(_ email: EmailAddress, as entered: CompanyName) -> Bool {
            guard confirmedDomains.isEmpty else { return hasConfirmed(email) }
            let founded = companyName.flatMap { try? CompanyName(recorded: $0) }
            return email.isOwned(by: founded ?? entered)
        }

        /// Returns the role of an employee. Exactly one employee of a founded tenant is the security admin.
        package func role(of employee: EmployeeID) -> EmployeeRole {
            if employee == securityAdmin { return .securityAdmin }
            return admins[employee] == nil ? .employee : .admin
        }

        /// Returns the event that gave an employee the present role; `nil` for an ordinary employee.
        package func roleSince(of employee: EmployeeID) -> EventPlace? {
            employee == securityAdmin ? securityAdminSince : admins[employee]?.place
        }

        /// Returns the device keys that this event lists; `nil` for the founder and an ordinary employee.
        package func listedKeys(of employee: EmployeeID) -> Set<KeyFingerprint>? {
            employee == securityAdmin ? securityAdminKeys : admins[employee]?.keys
        }

        /// Returns the recovery delay in force at a time. A shorter delay holds only after the longer one before it has
        /// passed.
        package func recoveryDelayHours(at time: Timestamp) -> Int {
            replacedDelays.reduce(policy.recoveryDelayHours) { hours, replaced in
                time < replaced.replacedAt.adding(.seconds(replaced.hours * 3_600)) ? max(hours, replaced.hours) : hours
            }
        }
    }

    /// The appointment of an admin.
    package struct Appointment: Sendable, Equatable {
        /// The event that appointed the admin.
        package let place: EventPlace
        /// The device keys that it lists.
        package let keys: Set<KeyFingerprint>
    }

    /// A recovery delay that a shorter one replaced.
    package struct ReplacedDelay: Sendable, Equatable {
        /// The delay, in hours.
        package let hours: Int
        /// When the shorter one was set.
        package let replacedAt: Timestamp
    }

    /// Applies an event to the state.
    ///
    /// A registration counts only at position 1, so the founder is the first employee in the ledger, however many
    /// raced. An appointment counts only for an ordinary employee: no decision appoints an admin.
    package static func evolve(_ state: inout State, _ recorded: Recorded<TenantEvent>) {
        switch recorded.event {
        case .founded(let event):
            guard recorded.position == 1, state.founding == nil else { return }
            state.founding = recorded.place
            state.founder = event.employeeID
            state.companyName = event.companyName
            if state.securityAdmin == nil {
                state.securityAdmin = event.employeeID
                state.securityAdminSince = recorded.place
            }
        case .policyChanged(let event):
            if event.policy.recoveryDelayHours < state.policy.recoveryDelayHours {
                state.replacedDelays.append(
                    ReplacedDelay(hours: state.policy.recoveryDelayHours, replacedAt: recorded.time))
            }
            state.policy = event.policy
            state.policySince = recorded.place
        case .mpinPolicyChanged(let event):
            state.mpinPolicy = event.policy
            state.mpinPolicySince = recorded.place
        case .domainConfirmed(let event): state.confirmedDomains.insert(event.aLabel)
        case .appLinked(let event):
            state.links[event.appID] = event.roles
            let since = state.administrationSince[event.appID] ?? recorded.place
            state.administrationSince[event.appID] = event.roles.contains(.administration) ? since : nil
        case .appUnlinked(let event):
            state.links[event.appID] = nil
            state.unlinkedAt[event.appID] = recorded.position
            state.administrationSince[event.appID] = nil
        case .adminAppointed(let event):
            guard state.role(of: event.employeeID) == .employee else { return }
            state.hasAppointed = true
            state.admins[event.employeeID] = Appointment(place: recorded.place, keys: Set(event.fingerprints))
        case .adminDismissed(let event): state.admins[event.employeeID] = nil
        case .securityAdminSucceeded(let event):
            state.hasAppointed = true
            state.securityAdmin = event.employeeID
            state.securityAdminSince = recorded.place
            state.succeededAt = recorded.time
            state.securityAdminKeys = Set(event.fingerprints)
            state.admins[event.employeeID] = nil
        case .addressReclaimed: break
        }
    }
}

extension Tenant {
    package enum Command: Sendable, Equatable {
        /// Link the app through which the tenant is founded, in the founding append, and set the first policy.
        case found(AppID, policy: TenantPolicy = .initial)
        /// Replace the policy.
        case changePolicy(PolicyChange, AuthorityDecision)
        /// Replace the policy for M-Pin.
        case changeMPinPolicy(MPinPolicy, AuthorityDecision)
        /// Confirm that the tenant controls a domain, which must be the tenant's name.
        case confirmDomain(CompanyName, AuthorityDecision)
        /// Reclaim an address in a confirmed domain from a user without an account in the tenant.
        case reclaimAddress(AddressReclaim, AuthorityDecision)
        /// Link an app in some roles; these replace the roles of an existing link.
        case linkApp(AppID, roles: RoleSet, AuthorityDecision)
        case unlinkApp(AppID, AuthorityDecision)
        /// Appoint an employee as admin.
        case appointAdmin(RoleTarget, AuthorityDecision)
        case dismissAdmin(EmployeeID, of: UserID, AuthorityDecision)
        /// Make an employee the security admin in place of the present one.
        case succeedSecurityAdmin(RoleTarget, loggedInAt: Timestamp?, at: Timestamp, AuthorityDecision)
    }

    /// A new policy, with what the directory says about the tenant's people.
    package struct PolicyChange: Sendable, Equatable {
        /// The whole new policy.
        package var policy: TenantPolicy
        /// The employees in force who have no secret. Verification does not know them.
        package var secretless: Set<EmployeeID>
        /// The employees in force who have no authorized passkey. Verification does not ask for them: somebody may
        /// register while the policy changes.
        package var passkeyless: Set<EmployeeID>
        package var time: Timestamp

        package init(
            _ policy: TenantPolicy, at time: Timestamp, secretless: Set<EmployeeID> = [],
            passkeyless: Set<EmployeeID> = []
        ) {
            self.policy = policy
            self.time = time
            self.secretless = secretless
            self.passkeyless = passkeyless
        }
    }

    /// The reclaim of an address from the user who claimed it.
    package struct AddressReclaim: Sendable, Equatable {
        /// The user who loses the address.
        package var user: UserID
        package var email: EmailAddress
        package var reason: ReasonCode

        package init(user: UserID, email: EmailAddress, reason: ReasonCode) {
            self.user = user
            self.email = email
            self.reason = reason
        }
    }

    /// The employee who is to get a role, and the device keys that are to carry it.
    package struct RoleTarget: Sendable, Equatable {
        package var employee: EmployeeID
        package var user: UserID
        package var status: EmployeeStatus
        /// The authorized device keys.
        package var keysInForce: Set<KeyFingerprint>
        /// The vouched device keys: those that founding, an admin's signature or another vouched key of the account
        /// authorized.
        package var vouchedKeys: Set<KeyFingerprint>
        /// The keys that the signer named after comparing their fingerprints; `nil` for all vouched ones.
        package var namedKeys: Set<KeyFingerprint>?
        /// The pending device keys, which only a return can name.
        package var pendingKeys: Set<KeyFingerprint>
        /// The device keys that carry the employee's present role.
        package var presentKeys: Set<KeyFingerprint>

        /// The employee of a folded state; `nil` without an account.
        ///
        /// - Parameter tenant: Tells which keys carry the present role; without it none do.
        package init?(
            _ state: Employee.State, namedKeys: Set<KeyFingerprint>? = nil, in tenant: Tenant.State? = nil
        ) {
            guard let account = state.account else { return nil }
            let inForce = state.keys.values.filter { $0.status == .authorized }
            employee = account.id
            user = account.user
            status = account.status
            keysInForce = Set(inForce.map(\.fingerprint))
            vouchedKeys = Set(inForce.filter(\.isVouched).map(\.fingerprint))
            self.namedKeys = namedKeys
            pendingKeys = Set(state.keys.values.lazy.filter { $0.status == .pending }.map(\.fingerprint))
            presentKeys = Set(tenant.map { state.roleKeys(in: $0) }?.map(KeyFingerprint.init(of:)) ?? [])
        }

        /// The device keys that are to carry the role, sorted; empty if none can.
        package var roleKeys: [KeyFingerprint] {
            let keys = namedKeys ?? vouchedKeys
            guard keys.isSubset(of: keysInForce) else { return [] }
            return keys.sorted { $0.description < $1.description }
        }

        /// The named keys with which the present security admin returns, sorted; empty if one is neither in force nor
        /// pending, or none is named.
        var returningKeys: [KeyFingerprint] {
            guard let namedKeys, namedKeys.isSubset(of: keysInForce.union(pendingKeys)) else { return [] }
            return namedKeys.sorted { $0.description < $1.description }
        }
    }

    package enum Rejection: CodedRejection, CaseIterable {
        case alreadyFounded
        /// There is no such tenant.
        case unknownTenant
        case notPermitted
        case domainNotCompanyName
        /// The tenant's name, as entered, is no name of an internet domain.
        case domainInvalid
        /// Only an active employee becomes an admin.
        case inactive
        /// The security admin keeps the role until a successor takes it.
        case securityAdmin
        /// No device key of the employee can carry the role, or a named one is not in force.
        case noRoleKey
        /// The security admin's log-in is too old to name a successor.
        case loginTooOld
        /// The security admin came back by a return that can still be undone.
        case returnUndoable
        /// No other linked app could log anybody in.
        case lastApp
        /// The address is in no confirmed domain of the tenant.
        case emailNotReclaimable
        /// The policy has a value out of range.
        case invalidPolicy
        /// Somebody in force has no secret, which the policy would ask for.
        case secretlessPeople
        /// Somebody in force has no passkey, which the policy would ask for.
        case passkeylessPeople
        /// Only a passkey may sign this change of the policy; that of `adminsNeedPasskey` must be a bound one.
        case passkeyNeeded
        /// The passkey was authorized less than 72 hours ago.
        case passkeyTooNew

        package var code: ErrorCode {
            switch self {
            case .alreadyFounded, .domainNotCompanyName, .domainInvalid, .invalidPolicy: .requestInvalid
            case .unknownTenant: .companyUnknown
            case .notPermitted, .securityAdmin, .returnUndoable: .authorizationNotPermitted
            case .inactive: .employeeInactive
            case .noRoleKey: .authorizationUnknownKey
            case .loginTooOld: .sessionLoginRequired
            case .lastApp: .appLastWithAccess
            case .emailNotReclaimable: .emailNotReclaimable
            case .secretlessPeople: .policySecretlessPeople
            case .passkeylessPeople: .policyPasskeylessPeople
            case .passkeyNeeded, .passkeyTooNew: .policyPasskeyRequired
            }
        }

        /// The reason of a rejection that shares its code with others.
        package var reason: String? {
            switch self {
            case .notPermitted: "the caller's role does not permit this decision"
            case .securityAdmin: "the security admin keeps the role until a successor takes it: name a successor first"
            case .returnUndoable:
                "the security admin came back by a return that can still be undone: name a successor after that time"
            case .passkeyNeeded:
                "sign with a passkey: without one the policy would lock the security admin out, and only a passkey that is"
                    + " bound to its device decides about adminsNeedPasskey"
            case .passkeyTooNew: "a passkey decides about adminsNeedPasskey from 72 hours after it was authorized"
            case .noRoleKey:
                "no named device key is authorized, or an app vouched for all of them: compare a fingerprint with the"
                    + " employee's device and send it in fingerprints"
            default: nil
            }
        }
    }
}
