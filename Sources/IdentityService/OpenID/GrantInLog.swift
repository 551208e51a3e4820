import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// What the log says about a client, a tenant and an account, for a grant or for an authorization.
struct GrantInLog: Sendable {
    let tenant: TenantSnapshot
    let employee: EmployeeSnapshot
    let client: AppSnapshot
    /// What the grant rests on.
    let ground: GrantGround
    /// The version of the stream of the account's consent to the client.
    let consentVersion: Int
    /// The session; `nil` if its stream does not exist.
    let session: GrantGround.Session?
    /// The grant; `nil` if its stream does not exist.
    let grant: GrantGround.Grant?
    /// The app that opened the session.
    private let opener: AppSnapshot
    /// The longest lifetime of a grant that outlives its session.
    private let longest: Duration

    /// Whether the stream of the grant exists.
    var isOpened: Bool { grant != nil }

    /// Reads the streams in two round trips: that of the person is known by the account.
    ///
    /// - Parameters:
    ///   - app: The app that opened the session.
    ///   - grant: The grant, or that which a code would open.
    static func read(
        _ employee: EmployeeID, in tenant: TenantID, client: AppID, app: AppID, session: UUID, grant: GrantID,
        _ context: ServiceContext
    ) async throws -> GrantInLog {
        let own = StreamID.tenant(tenant), account = StreamID.employee(employee, in: tenant)
        let consent = StreamID.consent(employee, to: client, in: tenant)
        let opening = StreamID.session(session, in: tenant), granted = StreamID.grant(grant, in: tenant)
        let read = try await context.reader.read(
            StreamsQuery(
                [own, account, consent, opening, granted, .app(client)] + (app == client ? [] : [.app(app)]),
                foundingOf: own.ledger))
        func events(_ stream: StreamID) -> StreamEvents { read.streams[stream] ?? [] }
        let snapshot = try StateLoader.tenant(tenant, read.founding, events(own))
        let person = try StateLoader.employee(employee, events(account))
        let ground = GrantGround(
            employee: person.state, tenant: snapshot.state,
            consent: Consent.fold(try events(consent).map { try EventCodec.decode($0) }),
            credentials: try await context.lastChange(ofCredentialsOf: person.state.account?.user))
        return GrantInLog(
            tenant: snapshot, employee: person, client: try StateLoader.app(client, events(.app(client))),
            ground: ground, consentVersion: events(consent).version,
            session: try GrantGround.Session(events(opening)), grant: try GrantGround.Grant(events(granted)),
            opener: try StateLoader.app(app, events(.app(app))), longest: context.settings.grantLifetime)
    }

    /// What the operator registered about the client, if it takes people of the tenant and the tenant links it.
    var registration: ClientRegistration? {
        guard let id = client.state.id, let registration = client.state.client, registration.takes(tenant.id),
            tenant.state.links(id, as: .access)
        else { return nil }
        return registration
    }

    /// Whether the session may open a grant: nothing ended it, and the client takes the person.
    var permitsOpening: Bool {
        guard let session, session.end == nil, registration != nil else { return false }
        return ground.carries(session) && !isRevoked(session) && !ground.consent.isWithdrawn
    }

    /// Whether a grant goes on, as far as the log says. A grant without the scope `offline_access` needs its session
    /// besides.
    func permits(_ row: GrantRow, at time: Timestamp) -> Bool {
        guard let session, let grant, ground.carries(grant, of: session, at: time), !isRevoked(session),
            time < end(of: row, grant.opened.time)
        else { return false }
        if let secret = row.secret, client.state.secrets[SecretID(secret)]?.isRevoked ?? true { return false }
        return registration != nil
    }

    /// Whether the secret was revoked with which the app opened the session.
    private func isRevoked(_ session: GrantGround.Session) -> Bool {
        session.secret.map { opener.state.secrets[$0]?.isRevoked ?? true } ?? false
    }

    /// The end of a grant. What shortens the lifetime now, an appointment or a setting, also shortens open grants.
    func end(of row: GrantRow, _ openedAt: Timestamp) -> Timestamp {
        row.isOffline ? min(row.end, openedAt.adding(offlineLifetime())) : row.end
    }

    /// The lifetime of a grant that outlives its session: a day at most for an admin, and a week for a client that any
    /// program of the machine may pretend to be.
    func offlineLifetime(isUnassured: Bool = false) -> Duration {
        let lifetime = isUnassured ? min(longest, Self.ofUnassured) : longest
        return tenant.state.role(of: employee.id).isAdministrative ? min(lifetime, Self.ofAdmins) : lifetime
    }

    private static let ofAdmins: Duration = .seconds(86_400)
    private static let ofUnassured: Duration = .seconds(7 * 86_400)
}

extension GrantGround.Moment {
    fileprivate init(_ event: RecordedEvent) {
        self.init(position: event.position, time: event.time, requestID: event.requestId)
    }
}

extension GrantGround.Session {
    /// The session of a stream; `nil` without an opening.
    fileprivate init?(_ events: StreamEvents) throws {
        guard let first = events.first, let opened = try EventCodec.payload(of: first) as? SessionOpened else {
            return nil
        }
        let closed = try events.dropFirst().lazy.compactMap { try EventCodec.payload(of: $0) as? SessionClosed }.first
        self.init(opened, at: GrantGround.Moment(first), end: closed?.reason)
    }
}

extension GrantGround.Grant {
    /// The grant of a stream; `nil` without an opening.
    fileprivate init?(_ events: StreamEvents) throws {
        guard let first = events.first, let opened = try EventCodec.payload(of: first) as? GrantOpened else {
            return nil
        }
        let closed = try events.dropFirst().lazy.compactMap { try EventCodec.payload(of: $0) as? GrantClosed }.first
        self.init(opened, at: GrantGround.Moment(first), end: closed?.reason)
    }
}

extension ServiceContext {
    /// When somebody's credentials were last changed, by themselves or by a recovery; `nil` if they never were.
    fileprivate func lastChange(ofCredentialsOf user: UserID?) async throws -> GrantGround.Moment? {
        guard let user else { return nil }
        let query = StreamsQuery([], tail: StateLoader.credentials(of: user))
        let events = try await reader.read(query).streams[.user(user)] ?? []
        return events.last { $0.type == CredentialsChanged.type }.map(GrantGround.Moment.init)
    }

    /// What the log says about a grant that goes on; `nil` if it has ended.
    func grantInForce(_ row: GrantRow, at time: Timestamp) async throws -> GrantInLog? {
        let log = try await GrantInLog.read(
            EmployeeID(row.employee), in: TenantID(row.tenant), client: AppID(row.client), app: AppID(row.app),
            session: row.session, grant: GrantID(row.id), self)
        guard log.permits(row, at: time) else { return nil }
        guard row.isOffline else {
            guard let session = try await presentSession(row.session, of: row.tenant, at: time), session.isInForce,
                time < min(session.row.end, session.row.refreshEnd)
            else { return nil }
            return log
        }
        return log
    }
}
