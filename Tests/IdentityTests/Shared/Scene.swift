import Canonical
@testable import Identity
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

    static let operatorKey = Sample.key(0x99)
    static let secondKey = Sample.key(0x44)

    static func appCaller(
        roles: RoleSet = .usual, link: RoleSet? = .usual, key: PublicKeyBytes = appKey
    ) -> DecidingParty {
        .app(
            DecidingApp(
                app: app, secret: EventSamples.secret, roles: roles, authorityKey: key, linkRoles: link))
    }

    /// Somebody whose keys carry the role, unless other role keys are named.
    static func person(
        _ id: EmployeeID = admin, user: UserID = Sample.id(30), role: EmployeeRole = .admin,
        status: EmployeeStatus = .active, keys: Set<PublicKeyBytes> = [adminKey], roleKeys: Set<PublicKeyBytes>? = nil
    ) -> DecidingParty {
        .employee(
            DecidingEmployee(
                employee: id, user: user, role: role, status: status, authorizedKeys: keys,
                roleKeys: roleKeys ?? (role.isAdministrative ? keys : [])))
    }

    /// A person with the role of the security admin.
    static var securityAdmin: DecidingParty { person(role: .securityAdmin) }

    /// What an app needs that approves and cancels.
    static var personnelApp: DecidingParty {
        let roles = RoleSet(.access, .administration)
        return appCaller(roles: roles, link: roles)
    }

    static func decision(_ caller: DecidingParty, key: PublicKeyBytes) throws -> AuthorityDecision {
        AuthorityDecision(caller: caller, statement: try Sample.statement(by: key))
    }

    /// A decision that the caller's usual key signed.
    static func decision(_ caller: DecidingParty) throws -> AuthorityDecision {
        switch caller {
        case .app(let app): try decision(caller, key: app.authorityKey)
        case .employee(let person): try decision(caller, key: person.authorizedKeys.first ?? otherKey)
        case .operator(let key): try decision(caller, key: key)
        }
    }

    static func status(
        _ caller: DecidingParty = person(), role: EmployeeRole = .employee
    ) throws -> Employee.StatusDecision {
        Employee.StatusDecision(role: role, decision: try decision(caller))
    }

    static func operated() throws -> AuthorityDecision { try decision(.operator(operatorKey)) }

    static func approve(_ caller: DecidingParty = person(), domains: Set<String> = []) throws -> Employee.Command {
        .approve(Employee.Approve(by: try status(caller), confirmedDomains: domains))
    }

    static func cancel(_ caller: DecidingParty = person(), role: EmployeeRole = .employee) throws -> Employee.Command {
        .cancel(Employee.Cancel(by: try status(caller, role: role)))
    }

    static func reinstate(_ caller: DecidingParty = person()) throws -> Employee.Command {
        .reinstate(Employee.Reinstate(by: try status(caller)))
    }

    /// A tenant whose founder is somebody else, with a policy, and with the employee in a role.
    static func tenant(
        _ policy: KeyAuthorization = .application, employeeIs role: EmployeeRole = .employee,
        listing keys: [PublicKeyBytes] = []
    ) -> Tenant.State {
        var events: [TenantEvent] = [
            Tenants.registered(role == .securityAdmin ? employee : Tenants.founder),
            .policyChanged(TenantPolicyChanged(policy: TenantPolicy(keyAuthorization: policy), by: .operator(nil))),
        ]
        if role == .admin {
            let fingerprints = keys.map(KeyFingerprint.init(of:))
            events.append(
                .adminAppointed(AdminAppointed(employeeID: employee, fingerprints: fingerprints, by: .operator(nil))))
        }
        return Tenant.fold(
            events.enumerated().map {
                Sample.recorded($0.element, position: $0.offset == 0 ? 1 : 500 + Int64($0.offset))
            })
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
        _ key: PublicKeyBytes, by decision: AuthorityDecision, policy: KeyAuthorization = .application,
        in tenant: Tenant.State? = nil, at time: Timestamp = now
    ) -> Employee.Command {
        .authorizeKey(
            Employee.AuthorizeKey(
                key: key, decision: decision, tenant: tenant ?? Self.tenant(policy), time: time))
    }

    static func end(
        _ key: PublicKeyBytes, by decision: AuthorityDecision, in tenant: Tenant.State? = nil,
        at time: Timestamp = now
    ) throws -> Employee.EndKey {
        Employee.EndKey(
            key: key, reason: try #require(ReasonCode("lost")), note: try FreeText("Lost."), decision: decision,
            tenant: tenant ?? Self.tenant(), time: time)
    }

    static func apply(
        _ events: [EmployeeEvent], to state: inout Employee.State, at time: Timestamp = Sample.start,
        position: Int64 = 1
    ) {
        for event in events { Employee.evolve(&state, Sample.recorded(event, at: time, position: position)) }
    }

    /// The state after commands, each of which must be taken.
    static func state(_ commands: [Employee.Command], at time: Timestamp = Sample.start) throws -> Employee.State {
        var state = Employee.initial
        for command in commands { apply(try Employee.decide(state, command), to: &state, at: time) }
        return state
    }
}
