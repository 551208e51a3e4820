/// What happens to a tenant.
public enum TenantEvent: AggregateEvent {
    /// The first employee registered: position 1 of the tenant's ledger. Elsewhere the event means nothing here.
    case founded(EmployeeRegistered)
    /// The tenant set its rules.
    case policyChanged(TenantPolicyChanged)
    /// The tenant controls the domain, so that owning an address gives power.
    case domainConfirmed(DomainConfirmed)
    /// An app may act for the tenant.
    case appLinked(AppLinked)
    /// An app may not act for the tenant any more.
    case appUnlinked(AppUnlinked)
    /// An employee became an admin.
    case adminAppointed(AdminAppointed)
    /// An admin became an ordinary employee again.
    case adminDismissed(AdminDismissed)
    /// An employee became the security admin in place of the one before.
    case securityAdminSucceeded(SecurityAdminSucceeded)

    /// The types of events this aggregate has.
    public static let payloads: [any EventPayload.Type] = [
        EmployeeRegistered.self, TenantPolicyChanged.self, DomainConfirmed.self, AppLinked.self, AppUnlinked.self,
        AdminAppointed.self, AdminDismissed.self, SecurityAdminSucceeded.self,
    ]

    /// The event itself.
    public var payload: any EventPayload {
        switch self {
        case .founded(let event): event
        case .policyChanged(let event): event
        case .domainConfirmed(let event): event
        case .appLinked(let event): event
        case .appUnlinked(let event): event
        case .adminAppointed(let event): event
        case .adminDismissed(let event): event
        case .securityAdminSucceeded(let event): event
        }
    }

    /// Takes an event of this aggregate; nil for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as EmployeeRegistered: self = .founded(event)
        case let event as TenantPolicyChanged: self = .policyChanged(event)
        case let event as DomainConfirmed: self = .domainConfirmed(event)
        case let event as AppLinked: self = .appLinked(event)
        case let event as AppUnlinked: self = .appUnlinked(event)
        case let event as AdminAppointed: self = .adminAppointed(event)
        case let event as AdminDismissed: self = .adminDismissed(event)
        case let event as SecurityAdminSucceeded: self = .securityAdminSucceeded(event)
        default: return nil
        }
    }
}
