import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres
public import TenureAPI

/// The caller as an employee with their own devices, without any authority over the tenant.
struct OwnDevices: Sendable {
    let access: CompanyAccess
    let employee: EmployeeSnapshot

    /// Loads both from the log, so that a revocation is effective at once.
    ///
    /// - Throws: `session.invalid` if the employee no longer exists.
    init(of caller: EmployeeCaller, _ context: ServiceContext) async throws {
        let loader = StateLoader(reader: context.reader)
        let tenant = try await loader.tenant(TenantID(caller.tenantId))
        employee = try await loader.employee(EmployeeID(caller.employeeId), in: tenant.id)
        guard let decider = DecidingEmployee(employee.state, in: tenant.state),
            let name = tenant.state.companyName
        else { throw ServiceError(.sessionInvalid) }
        let own = employee.state.keys.values.first {
            $0.status == .authorized && ServiceContext.fingerprint(of: $0.key) == caller.fingerprint
        }
        let leaf = own?.authorized.flatMap { [employee] place in employee.leaves[place.position] }
        access = CompanyAccess(
            tenant: tenant, name: try parsed { () throws(ValueError) in try CompanyName(name) },
            decider: .employee(decider), guarded: (.employee(employee.id, in: tenant.id), employee.version),
            authority: leaf, signer: own?.key)
    }

    /// Returns the key with a fingerprint.
    ///
    /// - Throws: `authorization.unknown_key` for any key that is not the caller's own.
    func key(_ fingerprint: String) throws(ServiceError) -> Employee.Key {
        guard let wanted = Hex.decode(fingerprint.lowercased()),
            let key = employee.state.keys.values.first(where: { ServiceContext.fingerprint(of: $0.key) == wanted })
        else { throw ServiceError(.authorizationUnknownKey) }
        return key
    }
}

/// Lists the caller's device keys from the log itself; outdated pending keys appear as expired.
public struct ListDevices: UseCase {
    /// The employee.
    public let caller: EmployeeCaller

    /// Each parameter sets the property of the same name.
    public init(caller: EmployeeCaller) { self.caller = caller }

    /// Lists the keys, oldest first.
    public func run(_ run: UseCaseRun<[DeviceResponse]>) async throws -> [DeviceResponse] {
        let context = run.context, time = run.call.time
        let own = try await OwnDevices(of: caller, context)
        let used = try await lastUses(context)
        let names = try await names(of: own, context)
        let apps = try await apps(of: own, context)
        return own.employee.state.keys.values.sorted { $0.presented.position < $1.presented.position }.map { key in
            let fingerprint = ServiceContext.fingerprint(of: key.key)
            return DeviceResponse(
                fingerprint: Hex.encode(fingerprint), employeePublicKey: key.key.bytes,
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

/// Revokes one of the caller's own device keys. The key that opened the session signs.
///
/// A session alone does not suffice: the thief of a token could otherwise lock the owner out of every device.
public struct RevokeDevice: CallerUseCase {
    /// The key's fingerprint in hexadecimal.
    public let fingerprint: String
    /// A code `[a-z0-9_.-]{1,64}`.
    public let reason: String
    /// The statement and its signature, in the second call.
    public let signed: StatementSignature?
    /// The employee.
    public let caller: EmployeeCaller

    /// Each parameter sets the property of the same name.
    public init(fingerprint: String, reason: String, signed: StatementSignature? = nil, caller: EmployeeCaller) {
        self.fingerprint = fingerprint
        self.reason = reason
        self.signed = signed
        self.caller = caller
    }

    /// Revokes the key, or returns the statement to sign.
    public func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let context = run.context, reason = try reasonCode(self.reason)
        return try await run.decide(signed) {
            let own = try await OwnDevices(of: caller, context)
            let tenant = own.access.tenant, employee = own.employee, key = try own.key(fingerprint)
            let isRevoked = key.status == .revoked
            guard isRevoked || key.status == .authorized else { throw ServiceError(.authorizationUnknownKey) }
            var revocation = SignedDecision<EmployeeEvent, DecisionResponse>(
                access: own.access, leaves: employee.leaves,
                decide: { decision in
                    guard !isRevoked else { return [] }
                    let end = Employee.EndKey(
                        key: key.key, reason: reason, decision: decision, tenant: tenant.state, time: run.call.time)
                    return try Employee.decided(employee.state, .revokeKey(end))
                },
                statement: { try await $0.key(.revoke, key, of: employee, reason: reason.text, context) },
                record: { recorder, events, _ in
                    try recorder.add(events, to: .employee(employee.id, in: tenant.id), version: employee.version)
                    if let fingerprint = KeyFingerprint(ServiceContext.fingerprint(of: key.key)) {
                        recorder.statements.append(
                            NewSession.deletion(employee: employee.id, tenant: tenant.id, fingerprint: fingerprint))
                    }
                    return try await recorder.append(try await context.summary(of: employee, in: tenant))
                })
            if isRevoked {
                revocation.holding = { .done(try await context.summary(of: employee, in: tenant), position: nil) }
            }
            return revocation
        }
    }
}
