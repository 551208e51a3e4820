import Canonical
import EventCoding
import Foundation
@testable import Identity
import Ledger
import Testing

@testable import Credentials
@testable import IdentityService

/// A tenant with somebody in every standing, and somebody who decides in every capacity; lawful so far.
struct HistoryScene {
    var history: SignedHistory
    let founder: SignedHistory.Member
    let admin: SignedHistory.Member
    /// Another admin, to be decided about.
    let peer: SignedHistory.Member
    let staff: SignedHistory.Member
    /// Vouched for the keys of employees.
    let app: SignedHistory.Vouching
    /// Has ADMINISTRATION.
    let personnel: SignedHistory.Vouching
    /// Somebody who is not registered yet.
    let newcomer: SignedHistory.Member
    /// A device key that was not presented yet.
    let waiting: SigningKeyPair
    /// The user key of the founder's credentials.
    let userPair: SigningKeyPair
    /// The return that is asked for, if one is.
    let comeback = ReturnID(UUID())
    /// The flow of the request.
    let returnFlow = FlowID(UUID())
    /// The recovery that is opened, if one is.
    let recovery = RecoveryID(UUID())
    /// The invitation that is issued, if one is.
    var invitation = InvitationID(UUID())
    /// The M-Pin identity that is started, if one is.
    let mpin = MPinIdentityID(UUID())

    init() throws {
        waiting = try SigningKeyPair()
        userPair = try SigningKeyPair()
        newcomer = SignedHistory.Member(device: try SigningKeyPair(), vouched: try SigningKeyPair())
        history = try SignedHistory()
        try history.found()
        app = try history.makeApp(.access, .creation, .authorization)
        personnel = try history.makeApp(.access, .administration)
        func member() throws -> SignedHistory.Member {
            SignedHistory.Member(device: try SigningKeyPair(), vouched: try SigningKeyPair())
        }
        (founder, admin, peer, staff) = (try member(), try member(), try member(), try member())
        try history.register(founder, isFounding: true)
        try history.present(founder.device, of: founder)
        try history.append(
            EmployeeKeyAuthorized(employeeID: founder.id, key: founder.device.key, by: .founding), about: founder)
        try history.append(AppLinked(appID: app.app, by: .founding))
        try link(personnel.app, roles: try #require(RoleSet([.access, .administration])))
        for member in [admin, peer, staff] {
            try history.register(member)
            for pair in [member.device, member.vouched] { try history.present(pair, of: member) }
            try authorize(member.device, of: member, by: asFounder)
            try authorize(member.vouched, of: member, by: .app(app))
        }
        for member in [admin, peer] { try appoint(member, keys: [member.device], by: asFounder) }
    }

    /// Who decides in a capacity, about a subject.
    func decider(_ capacity: AuthorityTable.Capacity, about subject: SignedHistory.Member) -> SignedHistory.Decider {
        switch capacity {
        case .authorizingApp: .app(app)
        case .administeringApp: .app(personnel)
        case .admin: asAdmin
        case .securityAdmin: asFounder
        case .ownKey: .member(subject, subject.device)
        case .operator, .mailAndTime: .operator(history.operatorPair)
        }
    }

    /// The founder, who is the security admin, with the device key that carries the role.
    var asFounder: SignedHistory.Decider { .member(founder, founder.device) }
    /// An admin, likewise.
    var asAdmin: SignedHistory.Decider { .member(admin, admin.device) }

    /// Somebody in a standing.
    func subject(_ standing: AuthorityTable.Standing) -> SignedHistory.Member {
        switch standing {
        case .employee, .tenant, .installation: staff
        case .admin: peer
        case .securityAdmin: founder
        }
    }

    // MARK: Decisions, each with a right statement

    mutating func authorize(
        _ pair: SigningKeyPair, of member: SignedHistory.Member, by decider: SignedHistory.Decider,
        change: (inout KeyStatement) throws -> Void = { _ in }
    ) throws {
        let statement = try key(.authorize, pair, of: member, by: decider, change)
        try history.append(
            { EmployeeKeyAuthorized(employeeID: member.id, key: pair.key, by: $0) }, by: decider,
            to: .employee(member.id, in: history.tenant), statement)
    }

    mutating func end(
        _ action: KeyStatement.Action, _ pair: SigningKeyPair, of member: SignedHistory.Member,
        by decider: SignedHistory.Decider
    ) throws {
        let statement = try key(action, pair, of: member, by: decider) { _ in }
        let reason = try #require(ReasonCode("lost")), stream = StreamID.employee(member.id, in: history.tenant)
        if action == .refuse {
            try history.append(
                { EmployeeKeyRefused(employeeID: member.id, key: pair.key, reason: reason, note: nil, by: $0) },
                by: decider, to: stream, statement)
        } else {
            try history.append(
                { EmployeeKeyRevoked(employeeID: member.id, key: pair.key, reason: reason, note: nil, by: $0) },
                by: decider, to: stream, statement)
        }
    }

    private func key(
        _ action: KeyStatement.Action, _ pair: SigningKeyPair, of member: SignedHistory.Member,
        by decider: SignedHistory.Decider, _ change: (inout KeyStatement) throws -> Void
    ) throws -> KeyStatement {
        let presented = history.state.employees[member.id]?.keys[pair.key]?.presented
        var statement = KeyStatement(
            context: try history.context(decider, isOwn: decider.isOwn(member)), action: action,
            employee: member.id.uuid, userKeyHash: [UInt8](repeating: 3, count: 32),
            employeeKey: try EmployeePublicKey(bytes: pair.key.bytes), reason: "authorized",
            presentedHash: history.state.leaf(presented) ?? [UInt8](repeating: 0, count: 32),
            policyHash: history.state.leaf(history.state.tenant.policySince))
        try change(&statement)
        return statement
    }

    /// Appends a decision about an account with a statement about its status.
    mutating func decide<Payload: EventPayload>(
        _ action: EmployeeStatement.Action, about member: SignedHistory.Member, by decider: SignedHistory.Decider,
        _ payload: (Authority) -> Payload
    ) throws {
        let statement = try statusStatement(action, member, by: decider)
        try history.append(payload, by: decider, to: .employee(member.id, in: history.tenant), statement)
    }

    func statusStatement(
        _ action: EmployeeStatement.Action, _ member: SignedHistory.Member, by decider: SignedHistory.Decider
    ) throws -> EmployeeStatement {
        let registered = history.state.leaf(history.state.employees[member.id]?.account?.registered)
        return EmployeeStatement(
            context: try history.context(decider), action: action, employee: member.id.uuid,
            registeredHash: try #require(registered), reason: "decided")
    }

    /// A signed decision about an account's status.
    func status(
        _ action: EmployeeStatement.Action, _ member: SignedHistory.Member, by decider: SignedHistory.Decider
    ) throws -> Authority {
        try history.signed(decider, try statusStatement(action, member, by: decider))
    }

    mutating func cancel(_ member: SignedHistory.Member, by decider: SignedHistory.Decider) throws {
        try decide(.cancel, about: member, by: decider) {
            EmployeeCancelled(employeeID: member.id, reason: .cancelled, note: nil, by: $0)
        }
    }

    mutating func reinstate(_ member: SignedHistory.Member, by decider: SignedHistory.Decider) throws {
        try decide(.reinstate, about: member, by: decider) { EmployeeReinstated(employeeID: member.id, by: $0) }
    }

    func reclaimStatement(
        _ member: SignedHistory.Member, by decider: SignedHistory.Decider
    ) throws -> ReclaimStatement {
        ReclaimStatement(context: try history.context(decider), user: member.user.uuid, reason: "reclaimed")
    }

    func reclaim(_ member: SignedHistory.Member, by decider: SignedHistory.Decider) throws -> Authority {
        try history.signed(decider, try reclaimStatement(member, by: decider))
    }

    func roleStatement(
        _ action: RoleStatement.Action, _ member: SignedHistory.Member, keys: [SigningKeyPair]?,
        by decider: SignedHistory.Decider
    ) throws -> RoleStatement {
        RoleStatement(
            context: try history.context(decider), action: action, employee: member.id.uuid, role: "admin",
            reason: "decided", keys: keys.map { Self.fingerprints($0).map(\.description) })
    }

    func role(
        _ action: RoleStatement.Action, _ member: SignedHistory.Member, keys: [SigningKeyPair]?,
        by decider: SignedHistory.Decider
    ) throws -> Authority {
        try history.signed(decider, try roleStatement(action, member, keys: keys, by: decider))
    }

    mutating func appoint(
        _ member: SignedHistory.Member, keys: [SigningKeyPair], by decider: SignedHistory.Decider
    ) throws {
        let statement = try roleStatement(.appoint, member, keys: keys, by: decider)
        try history.append(
            { AdminAppointed(employeeID: member.id, fingerprints: Self.fingerprints(keys), by: $0) }, by: decider,
            to: .tenant(history.tenant), statement)
    }

    mutating func dismiss(_ member: SignedHistory.Member, by decider: SignedHistory.Decider) throws {
        let statement = try roleStatement(.dismiss, member, keys: nil, by: decider)
        try history.append(
            { AdminDismissed(employeeID: member.id, by: $0) }, by: decider, to: .tenant(history.tenant), statement)
    }

    mutating func succeed(_ member: SignedHistory.Member, by decider: SignedHistory.Decider) throws {
        let fingerprints = Self.fingerprints([member.device])
        let statement = SuccessionStatement(
            context: try history.context(decider), from: founder.id.uuid, to: member.id.uuid,
            toKey: try EmployeePublicKey(bytes: member.device.key.bytes), reason: "succession",
            keys: fingerprints.map(\.description))
        try history.append(
            { SecurityAdminSucceeded(employeeID: member.id, fingerprints: fingerprints, by: $0) }, by: decider,
            to: .tenant(history.tenant), statement)
    }

    mutating func change(_ policy: TenantPolicy, by decider: SignedHistory.Decider) throws {
        let statement = PolicyStatement(
            context: try history.context(decider), settings: policy.settings,
            policyHash: history.state.leaf(history.state.tenant.policySince))
        try history.append(
            { TenantPolicyChanged(policy: policy, by: $0) }, by: decider, to: .tenant(history.tenant), statement)
    }

    mutating func link(_ app: AppID, roles: RoleSet, by decider: SignedHistory.Decider? = nil) throws {
        let decider = decider ?? asFounder
        let statement = try linking(.link, app, roles: roles.names, by: decider)
        try history.append(
            { AppLinked(appID: app, roles: roles, by: $0) }, by: decider, to: .tenant(history.tenant), statement)
    }

    mutating func unlink(_ app: AppID, by decider: SignedHistory.Decider? = nil) throws {
        let decider = decider ?? asFounder
        let statement = try linking(.unlink, app, roles: [], by: decider)
        try history.append({ AppUnlinked(appID: app, by: $0) }, by: decider, to: .tenant(history.tenant), statement)
    }

    private func linking(
        _ action: AppLinkStatement.Action, _ app: AppID, roles: [String], by decider: SignedHistory.Decider
    ) throws -> AppLinkStatement {
        AppLinkStatement(
            context: try history.context(decider), action: action, app: app.description, roles: roles,
            reason: "linked")
    }

    mutating func confirmDomain() throws {
        let stream = StreamID.tenant(history.tenant)
        try history.append(
            history.byOperator(on: stream) { DomainConfirmed(domain: "acme.example", aLabel: "acme.example", by: $0) },
            to: stream)
    }

    /// Opens a session on a device.
    ///
    /// - Parameter causes: The causes that it names; `nil` for those that the service would name.
    mutating func logIn(
        _ member: SignedHistory.Member, on pair: SigningKeyPair? = nil, causes: [UUID]? = nil
    ) throws {
        let id = SessionID(UUID()), pair = pair ?? member.device
        try history.append(
            SessionOpened(
                sessionID: id, employeeID: member.id, fingerprint: KeyFingerprint(of: pair.key),
                expiresAt: history.time.adding(.seconds(3_600)), appID: app.app, secretID: app.secret),
            to: .session(id.uuid, in: history.tenant), causes: causes)
    }

    static func fingerprints(_ pairs: [SigningKeyPair]) -> [KeyFingerprint] {
        pairs.map { KeyFingerprint(of: $0.key) }.sorted { $0.description < $1.description }
    }
}

extension HistoryScene {
    /// Something that somebody does.
    typealias Step = (inout HistoryScene) throws -> Void

    /// Expects that the scene is lawful until the last step, and that the step is found in these words.
    ///
    /// - Parameter at: The position of the finding, from that of the last event.
    static func expect(
        _ words: String, after arrange: Step = { _ in }, _ violate: Step, at position: (Int64) -> Int64 = { $0 },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var scene = try HistoryScene()
        try arrange(&scene)
        try scene.history.expectLawful("before the violation", sourceLocation: sourceLocation)
        try violate(&scene)
        try scene.history.expectFinding(
            words, at: position(scene.history.latest), sourceLocation: sourceLocation)
    }
}

extension SignedHistory.Decider {
    /// The person who decides; somebody unknown for an app and the operator.
    var user: UserID {
        if case .member(let member, _) = self { member.user } else { UserID(UUID()) }
    }

    /// Whether the decider is the account's owner.
    func isOwn(_ member: SignedHistory.Member) -> Bool {
        if case .member(let own, _) = self { own.id == member.id } else { false }
    }
}
