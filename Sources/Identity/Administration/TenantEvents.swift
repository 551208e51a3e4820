import Canonical
import Text

package enum TenantEvent: AggregateEvent {
    /// The first employee registered, at position 1 of the tenant's ledger. At other positions the event has no effect
    /// here.
    case founded(EmployeeRegistered)
    case policyChanged(TenantPolicyChanged)
    case mpinPolicyChanged(MPinPolicyChanged)
    case domainConfirmed(DomainConfirmed)
    case appLinked(AppLinked)
    case appUnlinked(AppUnlinked)
    case adminAppointed(AdminAppointed)
    case adminDismissed(AdminDismissed)
    case securityAdminSucceeded(SecurityAdminSucceeded)
    case addressReclaimed(AddressReclaimed)

    package static let cases = AggregateCases<TenantEvent>(
        founded, policyChanged, mpinPolicyChanged, domainConfirmed, appLinked, appUnlinked, adminAppointed,
        adminDismissed, securityAdminSucceeded, addressReclaimed)

    package var payload: any EventPayload {
        switch self {
        case .founded(let event): event
        case .policyChanged(let event): event
        case .mpinPolicyChanged(let event): event
        case .domainConfirmed(let event): event
        case .appLinked(let event): event
        case .appUnlinked(let event): event
        case .adminAppointed(let event): event
        case .adminDismissed(let event): event
        case .securityAdminSucceeded(let event): event
        case .addressReclaimed(let event): event
        }
    }
}

/// The operator confirmed that the tenant controls a domain, so that the tenant owns the addresses in it.
package struct DomainConfirmed: EventPayload {
    /// The tenant's name, in canonical form.
    package var domain: String
    /// The domain in A-labels.
    package var aLabel: String
    package var by: Authority

    package static let members = EventMembers<DomainConfirmed>(
        "DomainConfirmed", DomainConfirmed.init,
        Member("domain", \.domain, .name), Member("aLabel", \.aLabel, .aLabel), Member("by", \.by))
}

/// The tenant replaced its policy.
package struct TenantPolicyChanged: EventPayload {
    /// The whole new policy.
    package var policy: TenantPolicy
    package var by: Authority

    package static let members = EventMembers<TenantPolicyChanged>(
        "TenantPolicyChanged", TenantPolicyChanged.init,
        Member(inline: \.policy), Member("by", \.by))
}

/// An app was linked to the tenant.
package struct AppLinked: EventPayload {
    package var appID: AppID
    /// The roles that the app may use for the tenant.
    package var roles: RoleSet = .usual
    package var by: Authority

    package static let members = EventMembers<AppLinked>(
        "AppLinked", AppLinked.init,
        Member("appId", \.appID), Member("roles", \.roles), Member("by", \.by))
}

/// An app was unlinked from the tenant.
package struct AppUnlinked: EventPayload {
    package var appID: AppID
    package var by: Authority

    package static let members = EventMembers<AppUnlinked>(
        "AppUnlinked", AppUnlinked.init,
        Member("appId", \.appID), Member("by", \.by))
}

/// The tenant reclaimed an address in its confirmed domain from a user who has no account in it.
package struct AddressReclaimed: EventPayload {
    /// The user who loses the address.
    package var userID: UserID
    package var reason: ReasonCode
    package var by: Authority

    package static let members = EventMembers<AddressReclaimed>(
        "AddressReclaimed", AddressReclaimed.init,
        Member("userId", \.userID), Member("reason", \.reason), Member("by", \.by))
}

/// An employee became an admin.
package struct AdminAppointed: EventPayload {
    package var employeeID: EmployeeID
    /// The fingerprints of the device keys that carry the role.
    package var fingerprints: [KeyFingerprint]
    package var by: Authority

    package static let members = EventMembers<AdminAppointed>(
        "AdminAppointed", AdminAppointed.init,
        Member("employeeId", \.employeeID), Member("fingerprints", \.fingerprints, .fingerprints), Member("by", \.by))
}

/// An admin became an ordinary employee again.
package struct AdminDismissed: EventPayload {
    package var employeeID: EmployeeID
    package var by: Authority

    package static let members = EventMembers<AdminDismissed>(
        "AdminDismissed", AdminDismissed.init,
        Member("employeeId", \.employeeID), Member("by", \.by))
}

/// An employee became the security admin in place of the one before.
package struct SecurityAdminSucceeded: EventPayload {
    package var employeeID: EmployeeID
    /// The fingerprints of the device keys that carry the role.
    package var fingerprints: [KeyFingerprint]
    package var by: Authority

    package static let members = EventMembers<SecurityAdminSucceeded>(
        "SecurityAdminSucceeded", SecurityAdminSucceeded.init,
        Member("employeeId", \.employeeID), Member("fingerprints", \.fingerprints, .fingerprints), Member("by", \.by))
}
