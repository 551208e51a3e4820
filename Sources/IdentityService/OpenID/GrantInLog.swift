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
    /// The id of the session that was read.
    let sessionID: UUID
    /// The event that opened the session; `nil` if its stream does not exist.
    let opening: UUID?
    /// The session, likewise.
    let session: GrantGround.Session?
    /// The grant; `nil` if its stream does not exist.
    let grant: GrantGround.Grant?
    /// The longest lifetime of a grant that outlives its session.
    private let longest: Duration

    /// Whether the stream of the grant exists.
    var isOpened: Bool { grant != nil }

    /// Reads the streams.
    ///
    /// - Parameters:
    ///   - app: The app that opened the session.
    ///   - grant: The grant, or that which a code would open.
    static func read(
        _ employee: EmployeeID, in tenant: TenantID, client: AppID, app: AppID, session: UUID, grant: GrantID,
        _ context: ServiceContext
    ) async throws -> GrantInLog {
        let consent = StreamID.consent(employee, to: client, in: tenant)
        let granted = StreamID.grant(grant, in: tenant)
        let (log, events) = try await SessionInLog.read(
            session, of: employee, in: tenant, app: app, with: [consent, granted, .app(client)], context)
        let consents = events[consent] ?? []
        var ground = log.ground
        ground.consent = Consent.fold(try consents.map { try EventCodec.decode($0) })
        return GrantInLog(
            tenant: log.tenant, employee: log.employee,
            client: try await context.signed(StateLoader.app(client, events[.app(client)] ?? [])), ground: ground,
            consentVersion: consents.version, sessionID: session,
            opening: events[.session(session, in: tenant)]?.first?.id, session: log.session,
            grant: try GrantGround.Grant(events[granted] ?? []), longest: context.settings.grantLifetime)
    }

    /// What the operator registered about the client, if it takes people of the tenant and the tenant links it.
    var registration: ClientRegistration? { refusal == nil ? client.state.client : nil }

    /// Why the client takes no people of the tenant; `nil` if it does.
    var refusal: OpenIDCause? {
        guard let id = client.state.id, let registration = client.state.client else { return .clientUnknown }
        return registration.refusal(of: tenant.id, tenant.state, as: id)
    }

    /// Why the session may not open a grant; `nil` if nothing ended it, and the client takes the person.
    var refusalOfOpening: OpenIDCause? {
        guard let session else { return .sessionEnded }
        if let refusal { return refusal }
        guard ground.end(of: session) == nil else { return .sessionEnded }
        return ground.consent.isWithdrawn ? .consentMissing : nil
    }

    /// Whether a grant goes on, as far as the log says. A grant without the scope `offline_access` needs its session
    /// besides.
    func permits(_ row: GrantRow, at time: Timestamp) -> Bool {
        guard let session, let grant, ground.carries(grant, of: session, at: time),
            time < end(of: row, grant.opened.time)
        else { return false }
        if let secret = row.secret, client.state.secrets[SecretID(secret)]?.isRevoked ?? true { return false }
        return registration != nil
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
    /// What the log says about a grant that goes on; `nil` if it has ended. One that was refreshed while its session was
    /// replaced goes on under the successor, although its row still names the first.
    func grantInForce(_ row: GrantRow, at time: Timestamp) async throws -> GrantInLog? {
        func read(_ session: UUID) async throws -> GrantInLog {
            try await GrantInLog.read(
                EmployeeID(row.employee), in: TenantID(row.tenant), client: AppID(row.client), app: AppID(row.app),
                session: session, grant: GrantID(row.id), self)
        }
        var log = try await read(row.session)
        if log.session?.end == .replaced,
            let last = try await successors(of: row.session, in: TenantID(row.tenant)).last
        {
            log = try await read(last)
        }
        guard log.permits(row, at: time) else { return nil }
        guard row.isOffline else {
            guard let session = try await presentSession(log.sessionID, of: row.tenant), session.isInForce,
                time < min(session.row.end, session.row.refreshEnd)
            else { return nil }
            return log
        }
        return log
    }
}
