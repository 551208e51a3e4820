package import Canonical

/// The party that decides, with the facts known when the decision is made.
package enum DecidingParty: Sendable, Equatable {
    /// An app, identified by one of its secrets.
    case app(DecidingApp)
    /// An employee of the same tenant.
    case employee(DecidingEmployee)
    case `operator`(PublicKeyBytes)

    /// Returns the `by` member of the caller's decisions.
    package func authority(_ statement: SignedStatement?) -> Authority {
        switch self {
        case .app(let app): .app(app.app, secret: app.secret, statement)
        case .employee(let employee): .employee(employee.employee, statement)
        case .operator: .operator(statement)
        }
    }

    package func speaks(with key: PublicKeyBytes) -> Bool {
        switch self {
        case .app(let app): app.authorityKey == key
        case .employee(let employee): employee.authorizedKeys.contains(key)
        case .operator(let operatorKey): operatorKey == key
        }
    }
}

package struct DecidingApp: Sendable, Equatable {
    package var app: AppID
    /// The secret it presented.
    package var secret: SecretID
    package var roles: RoleSet
    /// The public half of that secret's authority key.
    package var authorityKey: PublicKeyBytes
    /// The roles of the tenant's link to the app; `nil` if the app is not linked.
    package var linkRoles: RoleSet?

    package init(app: AppID, secret: SecretID, roles: RoleSet, authorityKey: PublicKeyBytes, linkRoles: RoleSet?) {
        self.app = app
        self.secret = secret
        self.roles = roles
        self.authorityKey = authorityKey
        self.linkRoles = linkRoles
    }

    /// An app from folded states; `nil` if the app has no such secret in force.
    package init?(_ state: App.State, secret: SecretID, in tenant: Tenant.State) {
        guard let app = state.id, let issued = state.secrets[secret], issued.isInForce else { return nil }
        self.init(
            app: app, secret: secret, roles: issued.roles, authorityKey: issued.authorityKey,
            linkRoles: tenant.links[app])
    }

    /// Whether the app is linked to the tenant.
    package var isLinked: Bool { linkRoles != nil }

    /// Whether the presented secret and the tenant's link both have a role.
    package func may(_ role: AppRole) -> Bool { roles.contains(role) && linkRoles?.contains(role) == true }
}

package struct DecidingEmployee: Sendable, Equatable {
    package var employee: EmployeeID
    /// The user behind the employee. Two employees of one user are one person.
    package var user: UserID
    package var role: EmployeeRole
    package var status: EmployeeStatus
    /// The employee's authorized device keys.
    package var authorizedKeys: Set<PublicKeyBytes>
    /// The authorized device keys that carry the role, as the caller logged in; empty for an ordinary employee.
    package var roleKeys: Set<PublicKeyBytes>
    /// The authorized device keys that have the role, whether or not they may carry it now.
    package var listedKeys: Set<PublicKeyBytes>
    /// The passkeys among the authorized keys that are bound to one authenticator, and those that are synced.
    package var boundKeys: Set<PublicKeyBytes> = []
    package var syncedKeys: Set<PublicKeyBytes> = []
    /// From when each bound passkey decides about `adminsNeedPasskey`: 72 hours after it was authorized, in which the
    /// owner is told and may remove it. Those of a founder's first 72 hours decide at once.
    package var settledAt: [PublicKeyBytes: Timestamp] = [:]
    /// Until when another key of the security admin may authorize a pending key of the account, to bring the passkey
    /// that the policy asks for; `nil` if it may not.
    package var graceUntil: Timestamp?
    /// When the return by which the employee has the role can no longer be undone; `nil` without one.
    package var returnUndoableUntil: Timestamp?

    package init(
        employee: EmployeeID, user: UserID, role: EmployeeRole, status: EmployeeStatus,
        authorizedKeys: Set<PublicKeyBytes>, roleKeys: Set<PublicKeyBytes>, returnUndoableUntil: Timestamp? = nil
    ) {
        self.employee = employee
        self.user = user
        self.role = role
        self.status = status
        self.authorizedKeys = authorizedKeys
        self.roleKeys = roleKeys
        listedKeys = roleKeys
        self.returnUndoableUntil = returnUndoableUntil
    }

    /// The time after a return or a succession in which the new security admin brings a passkey, and after which a
    /// bound passkey decides about `adminsNeedPasskey`.
    package static let passkeyGrace: Duration = .seconds(72 * 3_600)

    /// An employee from folded states; `nil` if there is no such account.
    ///
    /// - Parameter secretProved: Whether the log-in proved a secret.
    package init?(_ state: Employee.State, in tenant: Tenant.State, secretProved: Bool) {
        guard let account = state.account else { return nil }
        self.init(
            employee: account.id, user: account.user, role: tenant.role(of: account.id), status: account.status,
            authorizedKeys: state.authorizedKeys,
            roleKeys: state.roleKeys(in: tenant, secretProved: secretProved),
            returnUndoableUntil: state.completedReturn(in: tenant)?.undoableUntil)
        listedKeys = state.roleKeys(in: tenant)
        boundKeys = authorizedKeys.filter { state.holding(of: $0) == .bound }
        syncedKeys = authorizedKeys.filter { state.holding(of: $0) == .synced }
        let young = tenant.founder == account.id ? account.registeredAt.adding(Self.passkeyGrace) : .earliest
        for key in boundKeys {
            let authorizedAt = state.keys[key]?.authorizedAt
            settledAt[key] = authorizedAt.map { $0 <= young ? $0 : $0.adding(Self.passkeyGrace) }
        }
        let since = state.completedReturn(in: tenant)?.completedAt ?? tenant.succeededAt
        if tenant.policy.adminsNeedPasskey, role == .securityAdmin { graceUntil = since?.adding(Self.passkeyGrace) }
    }
}
