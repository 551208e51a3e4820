import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import TenureAPI

/// What a client learns about a person by the scopes of a grant (OpenID Connect Core, section 5.1).
enum PersonClaims {
    /// The names of the claims besides those of the ID token itself.
    static let names = [
        "sub", "tenant", "tenant_name", "preferred_username", "name", "locale", "updated_at", "email",
        "email_verified", "groups",
    ]

    /// The events that change what the claims of `profile` and `email` say, but for the role. That of a further claim is
    /// one more.
    private static let changes: Set<String> = [
        EmployeeRegistered.type, CredentialsSet.type, EmailVerified.type, EmailReleased.type, DisplayNameSet.type,
        LanguageChosen.type, EmailGaveWay.type, EmailChanged.type, EmailChangeUndone.type,
    ]

    /// Returns the claims. What is not verified, and what was erased, is absent.
    static func of(
        _ log: GrantInLog, _ registration: ClientRegistration, scopes: Set<OpenIDScope>, row: GrantRow,
        _ context: ServiceContext
    ) async throws -> [String: JSONValue] {
        let employee = log.employee, tenant = log.tenant
        var claims: [String: JSONValue] = ["sub": .uuid(employee.id.uuid), "tenant": .uuid(tenant.id.uuid)]
        let summary = scopes.contains(.profile) ? try await context.summary(of: employee, in: tenant) : nil
        let isPlain = !registration.anyTenant && summary?.companyEmployeeId?.contains("@") ?? false
        let address = scopes.contains(.email) || isPlain ? try await Address(of: employee, context) : nil
        let email = address?.verified
        if let summary {
            claims["tenant_name"] = .string(summary.companyName)
            if let name = try await context.shownName(of: employee, in: tenant.id) {
                claims["name"] = .string(name.text)
            }
            if let id = summary.companyEmployeeId {
                // One id may belong to people of two tenants.
                let name =
                    registration.anyTenant
                    ? PreferredUsername.of(id, at: summary.companyName)
                    : PreferredUsername.of(id, isOwnAddress: isPlain && email == id)
                claims["preferred_username"] = .string(name)
            }
            let known = scopes.contains(.email) ? address : nil
            let events = Array(employee.events) + (known?.events ?? [])
            let times =
                events.filter { changes.contains($0.type) }.map(\.time)
                + (known == nil ? [] : [employee.state.account?.emailVerifiedAt].compactMap { $0 })
            claims["updated_at"] = times.max().map { .integer($0.wholeSeconds) }
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
            let role = employee.sessionRole(
                of: row.fingerprint, by: AuthenticationMethods(text: row.methods), in: tenant
            ).rawValue
            // Whoever founds a tenant is an admin there, and nowhere else.
            claims["groups"] = [.string(registration.anyTenant ? "\(tenant.id)/\(role)" : role)]
        }
        return claims
    }

    /// The address of a person.
    struct Address: Sendable {
        /// The address as entered; `nil` once released or erased.
        let text: String?
        /// Whether somebody showed that its owner reads the mails to it, or an admin of the tenant vouched for it.
        let isVerified: Bool
        let events: [RecordedEvent]

        /// The address, if it is verified.
        var verified: String? { isVerified ? text : nil }
        /// Whether a mail could verify it.
        var isVerifiable: Bool {
            guard !isVerified, let text, let address = try? EmailAddress(recorded: text) else { return false }
            return DeliverableAddress(text) != nil && !address.isDummy
        }

        /// - Returns: `nil` without an account.
        init?(of employee: EmployeeSnapshot, _ context: ServiceContext) async throws {
            guard let account = employee.state.account else { return nil }
            let (user, events) = try await context.addressHistory(account.user)
            text = user.email?.text
            isVerified = user.isEmailVerified || (user.holdsEmail && account.isEmailVerified)
            self.events = Array(events)
        }
    }
}
