public import Canonical
import Text

/// An event of a tenant.
public enum TenantEvent: AggregateEvent {
    /// The first employee registered, at position 1 of the tenant's ledger. At other positions the event has no effect
    /// here.
    case founded(EmployeeRegistered)
    /// The tenant replaced its policy.
    case policyChanged(TenantPolicyChanged)
    /// The tenant replaced its policy for M-Pin.
    case mpinPolicyChanged(MPinPolicyChanged)
    /// The operator confirmed that the tenant controls a domain, so that the tenant owns the addresses in it.
    case domainConfirmed(DomainConfirmed)
    /// An app was linked to the tenant.
    case appLinked(AppLinked)
    /// An app was unlinked from the tenant.
    case appUnlinked(AppUnlinked)
    /// An employee became an admin.
    case adminAppointed(AdminAppointed)
    /// An admin became an ordinary employee again.
    case adminDismissed(AdminDismissed)
    /// An employee became the security admin in place of the one before.
    case securityAdminSucceeded(SecurityAdminSucceeded)
    /// The tenant reclaimed an address in its confirmed domain from a user who has no account in it.
    case addressReclaimed(AddressReclaimed)

    /// The event types of this aggregate.
    public static let payloads: [any EventPayload.Type] = [
        EmployeeRegistered.self, TenantPolicyChanged.self, DomainConfirmed.self, AppLinked.self, AppUnlinked.self,
        AdminAppointed.self, AdminDismissed.self, SecurityAdminSucceeded.self,
        AddressReclaimed.self, MPinPolicyChanged.self,
    ]

    /// The payload of the event.
    public var payload: any EventPayload {
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

    /// Wraps a payload of this aggregate; `nil` for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as EmployeeRegistered: self = .founded(event)
        case let event as TenantPolicyChanged: self = .policyChanged(event)
        case let event as MPinPolicyChanged: self = .mpinPolicyChanged(event)
        case let event as DomainConfirmed: self = .domainConfirmed(event)
        case let event as AppLinked: self = .appLinked(event)
        case let event as AppUnlinked: self = .appUnlinked(event)
        case let event as AdminAppointed: self = .adminAppointed(event)
        case let event as AdminDismissed: self = .adminDismissed(event)
        case let event as SecurityAdminSucceeded: self = .securityAdminSucceeded(event)
        case let event as AddressReclaimed: self = .addressReclaimed(event)
        default: return nil
        }
    }
}

/// The operator confirmed that the tenant controls a domain, so that the tenant owns the addresses in it.
///
/// Version 1 has the folded name only, which more than one domain may have. Such a confirmation gives no power; see
/// ``domainInForce``.
public struct DomainConfirmed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "DomainConfirmed"
    /// Version 2 adds the A-labels.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int { aLabel == nil ? 1 : 2 }
    /// The tenant's name, in canonical form.
    public var domain: String
    /// The domain in A-labels; `nil` in version 1.
    public var aLabel: String?
    /// The authority that decided.
    public var by: Authority

    /// The domain in A-labels that this event gives power over; `nil` if version 1 leaves open which one was meant.
    public var domainInForce: String? { aLabel ?? DomainName(onlyOneFoldingTo: domain)?.ascii }

    /// Each parameter sets the member of the same name.
    public init(domain: String, aLabel: String? = nil, by: Authority) {
        self.domain = domain
        self.aLabel = aLabel
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(domain, EventLimits.name, "/data/domain")
        if let aLabel { try EventLimits.check(aLabel, EventLimits.name, "/data/aLabel") }
        return try .objectOmittingNil([
            "domain": .string(domain),
            "aLabel": aLabel.map(JSONValue.string),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        domain = try reader.text("domain")
        aLabel = schema > 1 ? try reader.aLabel("aLabel") : nil
        by = try reader.authority()
        try reader.finish()
    }
}

/// The tenant replaced its policy.
public struct TenantPolicyChanged: EventPayload {
    /// The permanent type name of the event.
    public static let type = "TenantPolicyChanged"
    /// Version 2 adds the registration mode, the recovery delay and the length of admin sessions.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The whole new policy.
    public var policy: TenantPolicy
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(policy: TenantPolicy, by: Authority, schema: Int = 2) {
        self.policy = policy
        self.by = by
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try policy.json(by: by, schema: schema)
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        policy = try reader.policy(schema: schema)
        by = try reader.authority()
        self.schema = schema
        try reader.finish()
    }
}

/// An app was linked to the tenant.
public struct AppLinked: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AppLinked"
    /// Version 2 names the roles of the link. A link of version 1 gave all roles but ADMINISTRATION.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The app.
    public var appID: AppID
    /// The authority that decided.
    public var by: Authority
    /// The roles that the app may use for the tenant.
    public var roles: RoleSet

    /// Each parameter sets the member of the same name.
    public init(
        appID: AppID, roles: RoleSet = .usual, by: Authority, schema: Int = 2
    ) {
        self.appID = appID
        self.by = by
        self.roles = roles
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "appId": appID.json,
            "by": by.json(),
            "roles": schema >= 2 ? .array(roles.names.map(JSONValue.string)) : nil,
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        appID = try reader.id("appId")
        by = try reader.authority()
        self.schema = schema
        roles = schema >= 2 ? try reader.roles("roles") : .usual
        try reader.finish()
    }
}

/// An app was unlinked from the tenant.
public struct AppUnlinked: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AppUnlinked"
    /// Version 2 is signed.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The app.
    public var appID: AppID
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        appID: AppID, by: Authority, schema: Int = 2
    ) {
        self.appID = appID
        self.by = by
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "appId": appID.json,
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        appID = try reader.id("appId")
        by = try reader.authority()
        self.schema = schema
        try reader.finish()
    }
}

/// The tenant reclaimed an address in its confirmed domain from a user who has no account in it.
public struct AddressReclaimed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AddressReclaimed"
    /// The user who loses the address.
    public var userID: UserID
    /// The reason, as a code.
    public var reason: ReasonCode
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        userID: UserID, reason: ReasonCode, by: Authority
    ) {
        self.userID = userID
        self.reason = reason
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "userId": userID.json,
            "reason": .string(reason.text),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        userID = try reader.id("userId")
        reason = try reader.reason("reason")
        by = try reader.authority()
        try reader.finish()
    }
}
