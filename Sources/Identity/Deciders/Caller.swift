/// Who asks, with what is known of them when the decision is made.
public enum Caller: Sendable, Equatable {
    /// An app, by one of its secrets.
    case app(AppCaller)
    /// An employee of the same tenant.
    case employee(EmployeeCaller)
    /// Whoever operates the service, on its command line.
    case `operator`

    /// The member `by` of what the caller decides.
    public func authority(_ statement: SignedStatement?) -> Authority {
        switch self {
        case .app(let app): .app(app.app, secret: app.secret, statement)
        case .employee(let employee): .employee(employee.employee, statement)
        case .operator: .operator
        }
    }

    /// Whether the statement was signed with a key that speaks for the caller.
    public func speaks(with key: PublicKeyBytes) -> Bool {
        switch self {
        case .app(let app): app.authorityKey == key
        case .employee(let employee): employee.authorizedKeys.contains(key)
        case .operator: false
        }
    }
}

/// An app that asks.
public struct AppCaller: Sendable, Equatable {
    /// The app.
    public var app: AppID
    /// The secret it presented.
    public var secret: SecretID
    /// The roles of that secret.
    public var roles: RoleSet
    /// The public half of that secret's authority key.
    public var authorityKey: PublicKeyBytes
    /// Whether the app is linked to the tenant.
    public var isLinked: Bool

    /// Makes a caller of what is known.
    public init(app: AppID, secret: SecretID, roles: RoleSet, authorityKey: PublicKeyBytes, isLinked: Bool) {
        self.app = app
        self.secret = secret
        self.roles = roles
        self.authorityKey = authorityKey
        self.isLinked = isLinked
    }

    /// Makes a caller of folded states; nil when the app has no such secret in force.
    public init?(_ state: App.State, secret: SecretID, in tenant: Tenant.State) {
        guard let app = state.id, let issued = state.secrets[secret], !issued.isRevoked else { return nil }
        self.init(
            app: app, secret: secret, roles: issued.roles, authorityKey: issued.authorityKey,
            isLinked: tenant.linkedApps.contains(app))
    }
}

/// An employee who asks.
public struct EmployeeCaller: Sendable, Equatable {
    /// The employee.
    public var employee: EmployeeID
    /// The user behind the employee: two employees of one user are one person.
    public var user: UserID
    /// The role in the tenant.
    public var role: EmployeeRole
    /// Where the employee stands.
    public var status: EmployeeStatus
    /// The employee's keys in force.
    public var authorizedKeys: Set<PublicKeyBytes>

    /// Makes a caller of what is known.
    public init(
        employee: EmployeeID, user: UserID, role: EmployeeRole, status: EmployeeStatus,
        authorizedKeys: Set<PublicKeyBytes>
    ) {
        self.employee = employee
        self.user = user
        self.role = role
        self.status = status
        self.authorizedKeys = authorizedKeys
    }

    /// Makes a caller of folded states; nil when there is no such employee.
    public init?(_ state: Employee.State, in tenant: Tenant.State) {
        guard let account = state.account else { return nil }
        self.init(
            employee: account.id, user: account.user, role: tenant.role(of: account.id), status: account.status,
            authorizedKeys: state.authorizedKeys)
    }

    /// Whether the caller is an active admin.
    public var isActiveAdmin: Bool { status == .active && role.isAdministrative }
}
