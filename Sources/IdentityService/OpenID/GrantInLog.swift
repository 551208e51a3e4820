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
    /// The version of the tenant's stream that last ended the link of the client, or of the app that opened the session.
    private let unlinked: Int64?
    /// Whether the stream of the grant has an end.
    private let isClosed: Bool
    /// When the grant was opened; `nil` if its stream does not exist.
    private let openedAt: Timestamp?
    /// The longest lifetime of a grant that outlives its session.
    private let longest: Duration
    /// When each revoked secret of the app that opened the session could be presented.
    private let revoked: [ClosedRange<Timestamp>]

    /// Whether the stream of the grant exists.
    var isOpened: Bool { openedAt != nil }

    /// Reads the streams in one round trip.
    ///
    /// - Parameters:
    ///   - app: The app that opened the session.
    ///   - grant: The grant, or that which a code would open.
    static func read(
        _ employee: EmployeeID, in tenant: TenantID, client: AppID, app: AppID, grant: GrantID,
        _ context: ServiceContext
    ) async throws -> GrantInLog {
        let streams: (tenant: StreamID, employee: StreamID, client: StreamID, grant: StreamID) = (
            .tenant(tenant), .employee(employee, in: tenant), .app(client), .grant(grant, in: tenant)
        )
        let opener: [StreamID] = app == client ? [] : [.app(app)]
        let read = try await context.reader.read(
            StreamsQuery(
                [streams.tenant, streams.employee, streams.client, streams.grant] + opener,
                foundingOf: streams.tenant.ledger))
        let ofTenant = read.streams[streams.tenant] ?? [], ofGrant = read.streams[streams.grant] ?? []
        return GrantInLog(
            tenant: try StateLoader.tenant(tenant, read.founding, ofTenant),
            employee: try StateLoader.employee(employee, read.streams[streams.employee] ?? []),
            client: try StateLoader.app(client, read.streams[streams.client] ?? []),
            unlinked: try ofTenant.last { try $0.unlinks([client, app]) }.map { Int64($0.streamVersion) },
            isClosed: ofGrant.contains { $0.type == GrantClosed.type }, openedAt: ofGrant.first?.time,
            longest: context.settings.grantLifetime, revoked: try revoked(read.streams[.app(app)] ?? []))
    }

    private static func revoked(_ ofApp: [RecordedEvent]) throws -> [ClosedRange<Timestamp>] {
        var issued: [SecretID: Timestamp] = [:], revoked: [ClosedRange<Timestamp>] = []
        for event in ofApp {
            switch try EventCodec.payload(of: event) {
            case let payload as AppSecretIssued: issued[payload.secretID] = event.time
            case let payload as AppSecretRevoked:
                if let start = issued[payload.secretID] { revoked.append(start...max(start, event.time)) }
            default: break
            }
        }
        return revoked
    }

    /// What the operator registered about the client, if it takes people of the tenant and the tenant links it.
    var registration: ClientRegistration? {
        guard let id = client.state.id, let registration = client.state.client, registration.takes(tenant.id),
            tenant.state.links(id, as: .access)
        else { return nil }
        return registration
    }

    /// Whether the account may be told about: it is not cancelled, and a device key of this fingerprint is in force.
    func isActive(on fingerprint: [UInt8]) -> Bool {
        guard let account = employee.state.account, !account.isCancelled else { return false }
        return employee.state.keys.values.contains {
            $0.status == .authorized && $0.fingerprint.bytes == fingerprint
        }
    }

    /// Whether a grant goes on, as far as the log says. A grant without the scope `offline_access` needs its session
    /// besides.
    func permits(_ row: GrantRow, at time: Timestamp) -> Bool {
        guard let openedAt, !isClosed, time < end(of: row, openedAt), (unlinked ?? 0) <= row.tenantVersion else {
            return false
        }
        // One of them may have opened the session. Without `offline_access` the session has ended with its secret.
        guard !revoked.contains(where: { $0.contains(openedAt) }) else { return false }
        if let secret = row.secret, client.state.secrets[SecretID(secret)]?.isRevoked ?? true { return false }
        return registration != nil && tenant.state.links(AppID(row.app), as: .access)
            && isActive(on: row.fingerprint)
    }

    /// The end of a grant. What shortens the lifetime now, an appointment or a setting, also shortens open grants.
    private func end(of row: GrantRow, _ openedAt: Timestamp) -> Timestamp {
        row.isOffline ? min(row.end, openedAt.adding(offlineLifetime)) : row.end
    }

    /// The lifetime of a grant that outlives its session: a day at most for an admin.
    var offlineLifetime: Duration {
        tenant.state.role(of: employee.id).isAdministrative ? min(longest, Self.ofAdmins) : longest
    }

    private static let ofAdmins: Duration = .seconds(86_400)
}

extension RecordedEvent {
    /// Whether the event ends the link of one of some apps.
    fileprivate func unlinks(_ apps: Set<AppID>) throws -> Bool {
        guard type == AppUnlinked.type, let event = try EventCodec.payload(of: self) as? AppUnlinked else {
            return false
        }
        return apps.contains(event.appID)
    }
}

extension ServiceContext {
    /// What the log says about a grant that goes on; `nil` if it has ended.
    func grantInForce(_ row: GrantRow, at time: Timestamp) async throws -> GrantInLog? {
        let log = try await GrantInLog.read(
            EmployeeID(row.employee), in: TenantID(row.tenant), client: AppID(row.client), app: AppID(row.app),
            grant: GrantID(row.id), self)
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
