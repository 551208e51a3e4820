import Canonical
import EventCoding
import FoundationEssentials
import Identity
import TenureAPI

/// What a client learns about a person by the scopes of a grant (OpenID Connect Core, section 5.1).
enum PersonClaims {
    /// The names of the claims besides those of the ID token itself.
    static let names = [
        "sub", "tenant", "tenant_name", "preferred_username", "email", "email_verified", "groups", "locale",
    ]

    /// Returns the claims. What is not verified, and what was erased, is absent.
    static func of(
        _ log: GrantInLog, _ registration: ClientRegistration, scopes: Set<OpenIDScope>, fingerprint: [UInt8],
        _ context: ServiceContext
    ) async throws -> [String: JSONValue] {
        let employee = log.employee, tenant = log.tenant
        var claims: [String: JSONValue] = ["sub": .uuid(employee.id.uuid), "tenant": .uuid(tenant.id.uuid)]
        let summary = scopes.contains(.profile) ? try await context.summary(of: employee, in: tenant) : nil
        let isPlain = !registration.anyTenant && summary?.companyEmployeeId?.contains("@") ?? false
        let email = scopes.contains(.email) || isPlain ? try await verifiedEmail(of: employee, context) : nil
        if let summary {
            claims["tenant_name"] = .string(summary.companyName)
            if let id = summary.companyEmployeeId {
                // One id may belong to people of two tenants.
                let name =
                    registration.anyTenant
                    ? PreferredUsername.of(id, at: summary.companyName)
                    : PreferredUsername.of(id, isOwnAddress: isPlain && email == id)
                claims["preferred_username"] = .string(name)
            }
        }
        if scopes.contains(.profile), let user = employee.state.account?.user,
            let language = try await context.userWithAddress(user).language
        {
            claims["locale"] = .string(language.rawValue)
        }
        if scopes.contains(.email), let email {
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
