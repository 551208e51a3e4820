import Canonical
import EventCoding
import FoundationEssentials
import Identity
import TenureAPI

/// What a client learns about a person by the scopes of a grant (OpenID Connect Core, section 5.1).
enum PersonClaims {
    /// The names of the claims besides those of the ID token itself.
    static let names = ["sub", "tenant", "tenant_name", "preferred_username", "email", "email_verified", "groups"]

    /// Returns the claims. What is not verified, and what was erased, is absent.
    static func of(
        _ log: GrantInLog, _ registration: ClientRegistration, scopes: Set<OpenIDScope>, fingerprint: [UInt8],
        _ context: ServiceContext
    ) async throws -> [String: JSONValue] {
        let employee = log.employee, tenant = log.tenant
        var claims: [String: JSONValue] = ["sub": .uuid(employee.id.uuid), "tenant": .uuid(tenant.id.uuid)]
        if scopes.contains(.profile) {
            let summary = try await context.summary(of: employee, in: tenant)
            claims["tenant_name"] = .string(summary.companyName)
            if let name = summary.companyEmployeeId {
                // One id may belong to people of two tenants.
                claims["preferred_username"] = .string(
                    registration.anyTenant ? username(name, at: summary.companyName) : name)
            }
        }
        if scopes.contains(.email), let email = try await verifiedEmail(of: employee, context) {
            claims["email"] = .string(email)
            claims["email_verified"] = true
        }
        if scopes.contains(.groups) {
            let role = employee.sessionRole(of: fingerprint, in: tenant).rawValue
            // Whoever founds a tenant is an admin there, and nowhere else.
            claims["groups"] = [.string(registration.anyTenant ? "\(tenant.id)/\(role)" : role)]
        }
        return claims
    }

    /// A name that no person of another tenant has. Ids and names of tenants may contain `@`, and a stranger may found a
    /// tenant of any free name, so the last `@` divides the two.
    static func username(_ id: String, at company: String) -> String {
        let name = company.unicodeScalars.map { mark in
            switch mark {
            case "%": "%25"
            case "@": "%40"
            default: String(mark)
            }
        }
        return "\(id)@\(name.joined())"
    }

    /// The address, if somebody showed that its owner reads the mails to it, or an admin of the tenant vouched for it.
    private static func verifiedEmail(
        of employee: EmployeeSnapshot, _ context: ServiceContext
    ) async throws -> String? {
        guard let account = employee.state.account else { return nil }
        let user = try await context.userWithAddress(account.user)
        guard user.isEmailVerified || (user.holdsEmail && account.isEmailVerified) else { return nil }
        return user.email?.text
    }
}
