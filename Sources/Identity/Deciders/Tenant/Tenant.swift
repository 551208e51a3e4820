/// A company: its rules, its admins, its apps and its domains.
///
/// The state is folded from the first event of the tenant's ledger, the founder's `EmployeeRegistered`, and the
/// tenant's own stream.
public enum Tenant: Decider {
    /// What happens to a tenant.
    public typealias Event = TenantEvent

    /// No founder, and the rules of a tenant that has set none.
    public static let initial = State()

    /// The events that a command leads to; none when it asks for what is so already.
    public static func decide(_ state: State, _ command: Command) throws(Rejection) -> [TenantEvent] {
        switch command {
        case .found(let app):
            guard state.founding == nil, state.linkedApps.isSubset(of: [app]) else { throw .alreadyFounded }
            return state.linkedApps.isEmpty ? [.appLinked(AppLinked(appID: app, by: .founding))] : []
        case .changePolicy(let policy, let by):
            try check(state, AdminAuthority.permits(by.caller), by)
            return state.policy == policy
                ? [] : [.policyChanged(TenantPolicyChanged(policy: policy, by: by.authority))]
        case .confirmDomain(let domain, let by):
            try check(state, AdminAuthority.permitsConfirming(by.caller), by)
            return try confirm(state, domain, by)
        case .linkApp(let app, let by):
            try check(state, AdminAuthority.permitsLinking(by.caller), by)
            return state.linkedApps.contains(app) ? [] : [.appLinked(AppLinked(appID: app, by: by.authority))]
        case .unlinkApp(let app, let by):
            try check(state, AdminAuthority.permitsLinking(by.caller), by)
            return state.linkedApps.contains(app) ? [.appUnlinked(AppUnlinked(appID: app, by: by.authority))] : []
        case .appointAdmin(let employee, let status, let by):
            try check(state, AdminAuthority.permits(by.caller), by)
            guard state.role(of: employee) != .securityAdmin else { throw .securityAdmin }
            guard state.role(of: employee) == .employee else { return [] }
            guard status == .active else { throw .inactive }
            return [.adminAppointed(AdminAppointed(employeeID: employee, by: by.authority))]
        case .dismissAdmin(let employee, let by):
            try check(state, AdminAuthority.permits(by.caller), by)
            guard state.role(of: employee) != .securityAdmin else { throw .securityAdmin }
            guard state.role(of: employee) == .admin else { return [] }
            return [.adminDismissed(AdminDismissed(employeeID: employee, by: by.authority))]
        case .succeedSecurityAdmin(let employee, let status, let by):
            try check(state, AdminAuthority.permitsSuccession(by.caller), by)
            guard state.securityAdmin != employee else { return [] }
            guard status == .active else { throw .inactive }
            return [.securityAdminSucceeded(SecurityAdminSucceeded(employeeID: employee, by: by.authority))]
        }
    }

    private static func check(_ state: State, _ isPermitted: Bool, _ by: Decision) throws(Rejection) {
        guard state.founding != nil else { throw .unknownTenant }
        guard isPermitted else { throw .notPermitted }
        if let statement = by.statement {
            guard by.caller.speaks(with: statement.key) else { throw .notPermitted }
        }
    }

    private static func confirm(
        _ state: State, _ domain: CompanyName, _ by: Decision
    ) throws(Rejection) -> [TenantEvent] {
        // An address is owned by a company when its domain is the company's name, so no other domain gives anything.
        guard let text = state.companyName, let name = try? CompanyName(text), name == domain else {
            throw .domainNotCompanyName
        }
        guard !state.confirmedDomains.contains(domain.canonicalText) else { return [] }
        return [.domainConfirmed(DomainConfirmed(domain: domain.canonicalText, by: by.authority))]
    }
}
