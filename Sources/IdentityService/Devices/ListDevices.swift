import Canonical
import FoundationEssentials
import Identity
import Ledger
import Postgres

/// The device keys of the caller, from the log itself; those that waited too long are shown as expired.
struct ListDevices: Sendable {
    let context: ServiceContext

    func run(_ caller: EmployeeCaller, at time: Timestamp) async throws -> [DeviceView] {
        let own = try await OwnDevices(of: caller, context)
        let used = try await lastUses(caller)
        let names = try await names(of: own)
        return own.employee.state.keys.values.sorted { $0.presented.position < $1.presented.position }.map { key in
            let fingerprint = ServiceContext.fingerprint(of: key.key)
            return DeviceView(
                fingerprint: Hex.encode(fingerprint), employeePublicKey: key.key.bytes,
                state: own.employee.state.standing(of: key.key, at: time).name,
                isCurrent: fingerprint == caller.fingerprint,
                presentedAt: key.presentedAt, authorizedAt: key.authorizedAt, endedAt: key.endedAt,
                lastUsedAt: used[fingerprint], authorizedBy: key.authorizedBy.map { DeviceAuthority($0, names) })
        }
    }

    /// When each key last got tokens, of the sessions that are open: a closed session leaves no row.
    private func lastUses(_ caller: EmployeeCaller) async throws -> [[UInt8]: Timestamp] {
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

    /// The names of the employees who authorized a key, as far as they are not erased.
    private func names(of own: OwnDevices) async throws -> [UUID: String] {
        var names: [UUID: String] = [:]
        for key in own.employee.state.keys.values {
            guard case .employee(let id, _)? = key.authorizedBy, names[id.uuid] == nil else { continue }
            let admin = try await StateLoader(reader: context.reader).employee(id, in: own.access.tenant.id)
            names[id.uuid] = try await context.summary(of: admin, in: own.access.tenant).companyEmployeeId
        }
        return names
    }
}

extension DeviceAuthority {
    /// Who decided, with the names of employees where they are known.
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
    /// As the contract names it.
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
