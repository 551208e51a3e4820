import Canonical
@testable import Identity
import Testing

/// A user with an account and a device key, the admins of the tenant, and a clock.
struct RecoveryScene {
    static let opened = Sample.start.adding(.seconds(90 * 86_400))
    static let delay = Duration.seconds(24 * 3_600)
    static let ownKey = Sample.key(0x11)
    static let openerKey = Sample.key(0x33)
    static let confirmerKey = Sample.key(0x34)
    static let newKey = Sample.key(0x66)
    static let opener: UserID = Sample.id(30)
    static let confirmer: UserID = Sample.id(31)

    var user: User.State
    var account: Employee.State
    var role = EmployeeRole.employee
    var reach = User.RecoveryReach(hasAccountsElsewhere: false, ownsAddress: false)
    private var position: Int64 = 10

    /// - Parameter known: For how long the own key was in force before the opening.
    init(known: Duration = .seconds(90 * 86_400)) throws {
        user = User.fold([Sample.recorded(.credentialsSet(try Self.credentials()), position: 3)])
        account = Employee.initial
        let registered = EmployeeRegistered(
            employeeID: EventSamples.employee, userID: EventSamples.user,
            companyEmployeeID: Personal(EventSamples.employee, "204"),
            email: Personal(EventSamples.employee, "204@pier.example"), isCompanyOwnedEmail: false, approved: true)
        happen(.registered(registered), at: Sample.start)
        authorize(Self.ownKey, at: Self.opened.adding(.zero - known))
    }

    mutating func happen(_ event: EmployeeEvent, at time: Timestamp) {
        position += 1
        Employee.evolve(&account, Sample.recorded(event, at: time, position: position))
    }

    mutating func authorize(_ key: PublicKeyBytes, at time: Timestamp) {
        let presented = EmployeeKeyPresented(
            employeeID: EventSamples.employee, key: key, flow: EventSamples.flow, first: true)
        happen(.keyPresented(presented), at: time)
        happen(
            .keyAuthorized(EmployeeKeyAuthorized(employeeID: EventSamples.employee, key: key, by: .policy)), at: time)
    }

    mutating func revoke(_ key: PublicKeyBytes, by employee: EmployeeID = EventSamples.admin, at time: Timestamp) throws
    {
        let reason = try #require(ReasonCode("lost"))
        happen(
            .keyRevoked(
                EmployeeKeyRevoked(
                    employeeID: EventSamples.employee, key: key, reason: reason, by: .employee(employee, nil))),
            at: time)
    }

    func about(_ key: PublicKeyBytes = newKey) -> User.RecoveryAccount {
        User.RecoveryAccount(
            target: User.RecoveryTarget(
                tenant: EventSamples.tenant, employee: EventSamples.employee, fingerprint: KeyFingerprint(of: key)),
            state: account, role: role, reach: reach)
    }

    static func admin(
        _ user: UserID = opener, _ employee: EmployeeID = EventSamples.admin, role: EmployeeRole = .securityAdmin,
        status: EmployeeStatus = .active, key: PublicKeyBytes = openerKey, carriesRole: Bool = true
    ) -> DecidingEmployee {
        DecidingEmployee(
            employee: employee, user: user, role: role, status: status, authorizedKeys: [key],
            roleKeys: carriesRole && role.isAdministrative ? [key] : [])
    }

    static func second(role: EmployeeRole = .admin) -> DecidingEmployee {
        admin(confirmer, Sample.id(40), role: role, key: confirmerKey)
    }

    /// The user, with the account's keys as they stand.
    var owner: DecidingEmployee {
        DecidingEmployee(
            employee: EventSamples.employee, user: EventSamples.user, role: role, status: .active,
            authorizedKeys: account.authorizedKeys, roleKeys: role.isAdministrative ? account.authorizedKeys : [])
    }

    func decision(_ caller: DecidingEmployee, key: PublicKeyBytes) throws -> AuthorityDecision {
        AuthorityDecision(caller: .employee(caller), statement: try Sample.statement(by: key))
    }

    static func credentials() throws -> CredentialsSet {
        CredentialsSet(
            userID: EventSamples.user, credentialID: Sample.id(5), record: [1, 2, 3],
            email: Personal(EventSamples.user, "204@pier.example"), challenge: [1],
            deviceSignature: try Sample.signature(1), userSignature: try Sample.signature(2))
    }

    static func change(_ number: UInt8, of previous: UInt8) throws -> CredentialsChanged {
        CredentialsChanged(
            userID: EventSamples.user, credentialID: Sample.id(number), previousCredentialID: Sample.id(previous),
            record: [4, 5, 6], challenge: [1], deviceSignature: try Sample.signature(1),
            userSignature: try Sample.signature(2))
    }

    func opening(
        by caller: DecidingEmployee = admin(), key: PublicKeyBytes = openerKey, for new: PublicKeyBytes = newKey,
        soleAdmin: Bool = false, at time: Timestamp = opened
    ) throws -> User.Command {
        .openRecovery(
            User.OpenRecovery(
                id: Sample.id(62), account: about(new), decision: try decision(caller, key: key), delay: Self.delay,
                soleAdmin: soleAdmin, time: time))
    }

    func confirmation(
        by caller: DecidingEmployee = second(), key: PublicKeyBytes = confirmerKey, for new: PublicKeyBytes = newKey,
        at time: Timestamp = opened
    ) throws -> User.Command {
        .confirmRecovery(
            User.ConfirmRecovery(
                account: about(new), opened: try Sample.bytes32(0x77), decision: try decision(caller, key: key),
                time: time))
    }

    func cancellation(
        by caller: DecidingEmployee, key: PublicKeyBytes, at time: Timestamp = opened
    ) throws -> User.Command {
        .cancelRecovery(
            User.CancelRecovery(
                account: about(), reason: try #require(ReasonCode("mistake")), decision: try decision(caller, key: key),
                time: time))
    }

    func completion(
        for new: PublicKeyBytes = newKey, approvals: [Int64]? = nil,
        signers: User.RecoverySigners = User.RecoverySigners(opener: .securityAdmin, confirmer: .admin),
        at time: Timestamp
    ) throws -> User.Command {
        .recoverCredentials(
            User.RecoverCredentials(
                event: try Self.change(6, of: 5), account: about(new),
                approvals: approvals ?? user.recovery?.approvals ?? [], signers: signers, time: time))
    }

    func login(_ key: PublicKeyBytes, at time: Timestamp = opened) -> User.Command {
        .endRecovery(User.EndRecovery(account: account, key: key, time: time))
    }

    mutating func apply(_ command: User.Command, at time: Timestamp = opened) throws {
        for event in try User.decide(user, command) {
            position += 1
            User.evolve(&user, Sample.recorded(event, at: time, position: position))
        }
    }
}
