import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger

/// A company as a caller may see it, with the caller as the deciders know one.
struct CompanyAccess: Sendable {
    var tenant: TenantSnapshot
    var name: CompanyName
    var decider: Identity.Caller
    /// The caller's own stream and version, guarded when the caller decides something.
    var guarded: (stream: StreamID, version: Int)
    /// The leaf hash of the event that gives the caller authority, when there is one.
    var authority: [UInt8]?
    /// The key a statement of this caller names as signer.
    var signer: PublicKeyBytes?
}

extension ServiceContext {
    /// Opens a company to a caller.
    ///
    /// A company that does not exist, one of somebody else and one that the app is not linked to get the same answer.
    ///
    /// - Parameter role: What an app's secret needs for this.
    func access(_ company: String, _ caller: Caller, role: CallerRole) async throws -> CompanyAccess {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        let tenant = try await StateLoader(reader: reader).tenant(TenantID(ring.tenantID(companyName: name.canonical)))
        switch caller {
        case .app(let app):
            guard tenant.exists, tenant.state.linkedApps.contains(AppID(app.appId)) else {
                throw ServiceError(.companyUnknown)
            }
            guard app.roles.contains(role) else { throw ServiceError(.appRoleMissing) }
            return try await access(tenant, name, app: app)
        case .employee(let employee):
            guard tenant.exists, employee.tenantId == tenant.id.uuid else { throw ServiceError(.companyUnknown) }
            return try await access(tenant, name, employee: employee)
        }
    }

    private func access(
        _ tenant: TenantSnapshot, _ name: CompanyName, app: AppCaller
    ) async throws -> CompanyAccess {
        let snapshot = try await StateLoader(reader: reader).app(AppID(app.appId))
        let secret = SecretID(app.secretId)
        guard let decider = Identity.AppCaller(snapshot.state, secret: secret, in: tenant.state),
            let issued = snapshot.state.secrets[secret]
        else { throw ServiceError(.appSecretInvalid) }
        return CompanyAccess(
            tenant: tenant, name: name, decider: .app(decider), guarded: (.app(snapshot.id), snapshot.version),
            authority: snapshot.leaves[issued.issued.position], signer: issued.authorityKey)
    }

    private func access(
        _ tenant: TenantSnapshot, _ name: CompanyName, employee: EmployeeCaller
    ) async throws -> CompanyAccess {
        let snapshot = try await StateLoader(reader: reader).employee(EmployeeID(employee.employeeId), in: tenant.id)
        guard let decider = Identity.EmployeeCaller(snapshot.state, in: tenant.state), decider.isActiveAdmin else {
            throw ServiceError(.authorizationNotPermitted)
        }
        let signer = snapshot.state.authorizedKeys.first { Self.fingerprint(of: $0) == employee.fingerprint }
        let since = tenant.state.roleSince(of: snapshot.id)
        return CompanyAccess(
            tenant: tenant, name: name, decider: .employee(decider),
            guarded: (.employee(snapshot.id, in: tenant.id), snapshot.version),
            authority: since.flatMap { tenant.leaves[$0.position] }, signer: signer)
    }

    /// SHA-256 of a key's 65 bytes.
    static func fingerprint(of key: PublicKeyBytes) -> [UInt8] {
        guard let key = try? EmployeePublicKey(bytes: key.bytes) else { return [] }
        return Hex.decode(key.fingerprint) ?? []
    }

    /// An employee of a company by the company's own id.
    func employee(_ companyEmployeeId: String, in tenant: TenantID) async throws -> EmployeeSnapshot {
        let id = try parsed { () throws(ValueError) in try CompanyEmployeeID(companyEmployeeId) }
        guard let claim = try await reader.claim(ring.employeeClaim(id, in: tenant)) else {
            throw ServiceError(.employeeUnknown)
        }
        let snapshot = try await StateLoader(reader: reader).employee(EmployeeID(claim.owner), in: tenant)
        guard snapshot.state.account != nil else { throw ServiceError(.employeeUnknown) }
        return snapshot
    }
}

extension CompanyAccess {
    /// The employee who acts; nil for an app.
    var actor: UUID? {
        if case .employee(let employee) = decider { return employee.employee.uuid }
        return nil
    }

    /// The app that acts; nil for an employee.
    var app: UUID? {
        if case .app(let app) = decider { return app.app.uuid }
        return nil
    }
}
