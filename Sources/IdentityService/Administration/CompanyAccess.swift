import Canonical
import Credentials
import ErrorCodes
package import EventCoding
import FoundationEssentials
package import Identity
import Keys
import Ledger
package import TenureAPI

/// A caller's access to a tenant, with the caller as the deciders know one.
package struct CompanyAccess: Sendable {
    package var tenant: TenantSnapshot
    var name: CompanyName
    var decider: DecidingParty
    /// The caller's own stream and version, guarded when the caller decides.
    var guarded: (stream: StreamID, version: Int)
    /// The leaf hash of the event that gives the caller authority, if there is one.
    var authority: [UInt8]?
    /// The key that a statement of this caller names as signer.
    package var signer: PublicKeyBytes?
    /// The passkey that the signer is; `nil` for another key.
    var passkey: PasskeyIdentity?
}

extension ServiceContext {
    /// Checks that a caller may access a tenant, and loads both.
    ///
    /// A tenant that does not exist, another employee's tenant and one that the app is not linked to get the same
    /// error.
    ///
    /// - Parameter role: The role that an app's secret and link both need.
    /// - Throws: `company.unknown`, `app.role_missing`, `app.secret_invalid`, or `authorization.not_permitted` for an
    ///   employee who is no active admin.
    package func access(_ company: String, _ caller: Caller, role: AppLinkRequest.Role) async throws -> CompanyAccess {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        let tenant = try await StateLoader(reader: reader).tenant(TenantID(ring.tenantID(companyName: name.canonical)))
        switch caller {
        case .app(let app):
            guard tenant.exists, let link = tenant.state.links[AppID(app.appId)] else {
                administration.unlinkedAppCalls.count(app.appId, tenantExists: tenant.exists)
                throw ServiceError(.companyUnknown)
            }
            guard app.roles.contains(role), link.contains(role.appRole) else { throw ServiceError(.appRoleMissing) }
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
        guard let decider = DecidingApp(snapshot.state, secret: secret, in: tenant.state),
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
        // A session of a device key that does not carry the role is the session of an ordinary employee.
        guard
            let decider = DecidingEmployee(
                snapshot.state, in: tenant.state, secretProved: employee.secretProved),
            decider.status == .active, decider.role.isAdministrative,
            let signer = decider.listedKeys.first(where: { Self.fingerprint(of: $0) == employee.fingerprint })
        else { throw ServiceError(Denial.noAdmin) }
        guard decider.roleKeys.contains(signer) else { throw ServiceError(.sessionRoleMissing) }
        let since = tenant.state.roleSince(of: snapshot.id)
        return CompanyAccess(
            tenant: tenant, name: name, decider: .employee(decider),
            guarded: (.employee(snapshot.id, in: tenant.id), snapshot.version),
            authority: since.flatMap { tenant.leaves[$0.position] }, signer: signer,
            passkey: snapshot.state.keys[signer]?.passkey?.facts.identity)
    }

    /// SHA-256 of a key's bytes.
    package static func fingerprint(of key: PublicKeyBytes) -> [UInt8] {
        guard let key = try? EmployeePublicKey(bytes: key.bytes) else { return [] }
        return Hex.decode(key.fingerprint) ?? []
    }

    /// Finds an employee by the tenant's own id.
    ///
    /// - Throws: `request.invalid` for a malformed id, or `employee.unknown`.
    func employee(_ companyEmployeeId: String, in tenant: TenantID) async throws -> EmployeeSnapshot {
        let id = try await employeeID(companyEmployeeId, in: tenant)
        let snapshot = try await StateLoader(reader: reader).employee(id, in: tenant)
        guard snapshot.state.account != nil else { throw ServiceError(.employeeUnknown) }
        return snapshot
    }

    /// Finds the permanent id of the employee who has the tenant's own id.
    ///
    /// - Throws: `request.invalid` for a malformed id, or `employee.unknown`.
    package func employeeID(_ companyEmployeeId: String, in tenant: TenantID) async throws -> EmployeeID {
        let id = try parsed { () throws(ValueError) in try CompanyEmployeeID(companyEmployeeId) }
        guard let claim = try await reader.claim(ring.employeeClaim(id, in: tenant)) else {
            throw ServiceError(.employeeUnknown)
        }
        return EmployeeID(claim.owner)
    }
}

extension CompanyAccess {
    /// The caller's decision.
    ///
    /// - Throws: `authorization.not_permitted` for a caller without a signing key.
    func decision(_ statement: SignedStatement? = nil) throws(ServiceError) -> AuthorityDecision {
        guard let signer else { throw ServiceError(Denial.noSigningKey) }
        return AuthorityDecision(caller: decider, signer: signer, statement: statement)
    }

    /// The employee who acts; `nil` for an app.
    var actor: UUID? {
        if case .employee(let employee) = decider { return employee.employee.uuid }
        return nil
    }

    /// The app that acts; `nil` for an employee.
    var app: UUID? {
        if case .app(let app) = decider { return app.app.uuid }
        return nil
    }
}

extension CompanyAccess {
    /// Refuses a decision that the table of authority does not permit, before the caller is asked to sign.
    ///
    /// - Throws: `authorization.not_permitted`.
    func require(_ action: AuthorityTable.Action, about subject: AuthoritySubject) throws(ServiceError) {
        guard AuthorityTable.permits(action, about: subject, by: try decision()) else {
            throw ServiceError(Denial.outsideAuthority)
        }
    }

    /// An employee as the table of authority knows one.
    ///
    /// - Throws: `employee.unknown` without an account.
    func subject(_ employee: EmployeeSnapshot) throws(ServiceError) -> AuthoritySubject {
        guard let account = employee.state.account else { throw ServiceError(.employeeUnknown) }
        return AuthoritySubject(account.id, of: account.user, role: tenant.state.role(of: account.id))
    }
}

/// The spellings of a tenant's name.
package enum CompanySpelling {
    /// The text that all spellings of one tenant's name have in common, and no other tenant's; `nil` for a malformed
    /// name.
    package static func canonical(_ companyName: String) -> String? {
        (try? CompanyName(companyName))?.canonicalText
    }
}
