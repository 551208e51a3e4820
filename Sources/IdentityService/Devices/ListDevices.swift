import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
package import TenureAPI

/// Lists the caller's device keys from the log itself; outdated pending keys appear as expired.
package struct ListDevices: UseCase {
    package let caller: EmployeeCaller

    package init(caller: EmployeeCaller) { self.caller = caller }

    /// Lists the keys, oldest first.
    package func run(_ run: UseCaseRun<[DeviceResponse]>) async throws -> [DeviceResponse] {
        let context = run.context, time = run.call.time
        let own = try await OwnDevices(of: caller, context)
        let used = try await lastUses(context)
        let names = try await names(of: own, context)
        let apps = try await apps(of: own, context)
        let keys = try await context.personKeys.load([own.employee.id.uuid], ledger: own.access.tenant.id.uuid)
        let devices = try DeviceNames(own.employee, keys: keys)
        return own.employee.state.keys.values.sorted { $0.presented.position < $1.presented.position }.map { key in
            let fingerprint = ServiceContext.fingerprint(of: key.key)
            return DeviceResponse(
                fingerprint: Hex.encode(fingerprint), employeePublicKey: key.key.bytes, name: devices[fingerprint],
                state: own.employee.state.standing(of: key.key, at: time).name,
                isCurrent: fingerprint == caller.fingerprint,
                presentedAt: key.presentedAt, presentedBy: apps[key.presented.position], authorizedAt: key.authorizedAt,
                endedAt: key.endedAt,
                lastUsedAt: used[fingerprint],
                authorizedBy: key.authorizedBy.map { DeviceResponse.Authorizer($0, names) })
        }
    }

    /// When each key last got tokens, by the open sessions. A closed session leaves no row.
    private func lastUses(_ context: ServiceContext) async throws -> [[UInt8]: Timestamp] {
        let rows = try await context.pool.query(
            """
            SELECT fingerprint, max(access_expires_at) FROM tenure.session
            WHERE ledger_id = \(caller.tenantId) AND employee_id = \(caller.employeeId) GROUP BY fingerprint
            """, in: [LedgerID(caller.tenantId)])
        let lifetime = context.settings.accessLifetime
        return try Dictionary(
            rows.map { row in
                let (fingerprint, expiry) = try row.decode([UInt8].self, PostgresTimestamp.self)
                let end = Timestamp(microseconds: expiry.microsecondsSinceUnixEpoch)
                return (fingerprint, end.adding(.zero - lifetime))
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The app of each presentation, by the position of the event.
    private func apps(of own: OwnDevices, _ context: ServiceContext) async throws -> [Int64: DeviceResponse.Presenter] {
        var names: [UUID: String] = [:]
        var apps: [Int64: DeviceResponse.Presenter] = [:]
        for event in own.employee.events where event.type == EmployeeKeyPresented.type {
            guard let app = event.app else { continue }
            if names[app] == nil {
                names[app] = try await StateLoader(reader: context.reader).app(AppID(app)).state.name
            }
            apps[event.position] = DeviceResponse.Presenter(appId: app, name: names[app])
        }
        return apps
    }

    /// The names of the employees who authorized a key, unless erased.
    private func names(of own: OwnDevices, _ context: ServiceContext) async throws -> [UUID: String] {
        var names: [UUID: String] = [:]
        for key in own.employee.state.keys.values {
            guard case .employee(let id, _)? = key.authorizedBy, names[id.uuid] == nil else { continue }
            let admin = try await StateLoader(reader: context.reader).employee(id, in: own.access.tenant.id)
            names[id.uuid] = try await context.summary(of: admin, in: own.access.tenant).companyEmployeeId
        }
        return names
    }
}

extension DeviceResponse.Authorizer {
    /// The authority with the employee's name, if it is known.
    init(_ authority: Authority, _ names: [UUID: String]) {
        switch authority {
        case .founding: self.init(kind: "founding")
        case .policy: self.init(kind: "policy")
        case .app(let app, _, _): self.init(kind: "app", appId: app.uuid)
        case .employee(let id, _): self.init(kind: "employee", companyEmployeeId: names[id.uuid])
        case .operator: self.init(kind: "operator")
        }
    }
}

extension Employee.KeyStanding {
    /// The name in the API contract.
    fileprivate var name: String {
        switch self {
        case .unknown: "unknown"
        case .pending: "pending"
        case .expired: "expired"
        case .authorized: "authorized"
        case .refused: "refused"
        case .revoked: "revoked"
        }
    }
}
