import Canonical
import Identity
import Testing

/// People, keys and commands that the tests of the deciders share.
enum Scene {
    static let employee = EventSamples.employee
    static let user = EventSamples.user
    static let admin = EventSamples.admin
    static let app = EventSamples.app
    static let firstKey = Sample.key(0x11)
    static let otherKey = Sample.key(0x12)
    static let appKey = Sample.key(0x22)
    static let adminKey = Sample.key(0x33)
    static let now = Sample.start.adding(.seconds(3_600))
    static let late = Sample.start.adding(Employee.pendingLifetime + .seconds(1))

    static func appCaller(
        roles: RoleSet = .all, isLinked: Bool = true, key: PublicKeyBytes = appKey
    ) -> Caller {
        .app(
            AppCaller(
                app: app, secret: EventSamples.secret, roles: roles, authorityKey: key, isLinked: isLinked))
    }

    static func person(
        _ id: EmployeeID = admin, user: UserID = Sample.id(30), role: EmployeeRole = .admin,
        status: EmployeeStatus = .active, keys: Set<PublicKeyBytes> = [adminKey]
    ) -> Caller {
        .employee(EmployeeCaller(employee: id, user: user, role: role, status: status, authorizedKeys: keys))
    }

    static func decision(_ caller: Caller, key: PublicKeyBytes) throws -> Employee.KeyDecision {
        Employee.KeyDecision(caller: caller, statement: try Sample.statement(by: key))
    }

    static func register(
        founding: Bool = false, policy: TenantPolicy = .initial, email: String = "zoe@bayunsystems.com",
        owned: Bool = true
    ) throws -> Employee.Register {
        Employee.Register(
            employeeID: employee, userID: user, companyName: try CompanyName("BayunSystems.com"),
            companyEmployeeID: try CompanyEmployeeID("Zoë"), email: try EmailAddress(email),
            isCompanyOwnedEmail: owned, isFounding: founding, policy: policy, key: firstKey, flow: EventSamples.flow)
    }

    static func authorize(
        _ key: PublicKeyBytes, by decision: Employee.KeyDecision, policy: KeyAuthorization = .application,
        at time: Timestamp = now
    ) -> Employee.Command {
        .authorizeKey(
            Employee.AuthorizeKey(
                key: key, decision: decision, policy: TenantPolicy(keyAuthorization: policy), time: time))
    }

    static func end(
        _ key: PublicKeyBytes, by decision: Employee.KeyDecision, at time: Timestamp = now
    ) throws -> Employee.EndKey {
        Employee.EndKey(
            key: key, reason: try #require(ReasonCode("lost")), note: try FreeText("Lost."), decision: decision,
            policy: .initial, time: time)
    }

    static func apply(
        _ events: [EmployeeEvent], to state: inout Employee.State, at time: Timestamp = Sample.start
    ) {
        for event in events { Employee.evolve(&state, Sample.recorded(event, at: time)) }
    }

    /// The state after commands, each of which must be taken.
    static func state(_ commands: [Employee.Command], at time: Timestamp = Sample.start) throws -> Employee.State {
        var state = Employee.initial
        for command in commands { apply(try Employee.decide(state, command), to: &state, at: time) }
        return state
    }
}
