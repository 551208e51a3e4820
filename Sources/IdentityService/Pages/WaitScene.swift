import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Whether a browser may go on that waits for the decision about its device key.
package enum WaitStanding: Sendable, Equatable {
    /// The key, or the account, waits for a decision.
    case pending
    /// The key is in force: the device's signature opens the session.
    case authorized
    /// Somebody refused or revoked the key.
    case refused
    /// The wait has expired, or was ended by anything else.
    case over
}

/// What the log says about a waiting browser.
struct WaitScene: Sendable {
    let row: BrowserWaitRow
    let tenant: TenantSnapshot
    let employee: EmployeeSnapshot
    let user: UserSnapshot
    /// The account that the flow was about.
    let account: Employee.Account
    /// The device key that waits.
    let key: Employee.Key

    /// Reads the log; `nil` if there is no such account or key.
    static func load(_ row: BrowserWaitRow, _ context: ServiceContext) async throws -> WaitScene? {
        let loader = StateLoader(reader: context.reader), tenant = TenantID(row.tenant)
        let employee = try await loader.employee(EmployeeID(row.employee), in: tenant)
        guard let account = employee.state.account,
            let key = employee.state.keys.values.first(where: { $0.fingerprint.bytes == row.fingerprint })
        else { return nil }
        return WaitScene(
            row: row, tenant: try await loader.tenant(tenant), employee: employee,
            user: try await loader.user(account.user), account: account, key: key)
    }

    /// Whether the employee may ask for the return of a founder who was never anything but alone. Who has appointed
    /// admins finds the way on its own page.
    func mayReturn(at time: Timestamp) -> Bool {
        guard tenant.state.isFounderAlone(account.id) else { return false }
        return Employee.mayRequestReturn(
            employee.state, user.state, Employee.ReturnScene(tenant: tenant.state, admins: [:], time: time))
    }

    /// Whether the browser may go on.
    ///
    /// No session starts after the credentials that were used have been changed, or after the app was unlinked.
    func standing(at time: Timestamp) -> WaitStanding {
        guard time < row.expiresAt, tenant.state.links(AppID(row.app), as: .access),
            user.state.credentials?.id.uuid == row.credential
        else { return .over }
        switch employee.state.standing(of: key.key, at: time) {
        case .refused, .revoked: return account.isCancelled ? .over : .refused
        case .unknown, .expired: return .over
        case .pending: return account.isCancelled ? .over : .pending
        case .authorized:
            switch account.status {
            case .active: return .authorized
            case .registered: return .pending
            case .cancelled: return .over
            }
        }
    }

    /// The event that proved the flow: its validation, or that of the key if the secrets were chosen in the flow.
    func proof(_ context: ServiceContext) async throws -> UUID {
        let stream = StreamID.flow(row.flow, in: tenant.id)
        return try await context.reader.streams([stream])[stream]?.first?.id ?? key.presented.id
    }

    /// Whether the employee has another device key in force, which may authorize this one.
    var hasOtherDevice: Bool {
        employee.state.keys.values.contains { $0.status == .authorized && $0.key != key.key }
    }

    /// Whether an admin has to approve the person, whatever becomes of the device.
    var needsApproval: Bool { account.status == .registered }

    /// The position of the newest decision about the key that the scene shows, or 0.
    var decided: Int64 { key.authorized?.position ?? 0 }
}

extension ServiceContext {
    /// The wait of a cookie, as the log has it; `nil` without one.
    func wait(_ cookie: String?, at time: Timestamp) async throws -> (cookie: WaitCookie, scene: WaitScene)? {
        guard let cookie = cookie.flatMap(WaitCookie.init),
            let row = try await BrowserWaitRow.find(cookie, self, at: time),
            let scene = try await WaitScene.load(row, self)
        else { return nil }
        return (cookie, scene)
    }
}
