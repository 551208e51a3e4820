public import Canonical

/// An employee became an admin.
public struct AdminAppointed: EventPayload {
    /// The employee.
    public var employeeID: EmployeeID
    /// The fingerprints of the device keys that carry the role; `nil` in version 1.
    public let fingerprints: [KeyFingerprint]?
    /// The authority that decided.
    public var by: Authority
    /// The schema version that the event is written in. Version 2 lists the device keys that carry the role.
    public var schema = 2

    /// The members as the log has them.
    public static let members = EventMembers<AdminAppointed>(
        "AdminAppointed", schemas: 1...2, AdminAppointed.init,
        Member("employeeId", \.employeeID), Member("fingerprints", \.fingerprints, .fingerprints, since: 2),
        Member("by", \.by), .schema(\.schema))
}

/// An admin became an ordinary employee again.
public struct AdminDismissed: EventPayload {
    /// The employee.
    public var employeeID: EmployeeID
    /// The authority that decided.
    public var by: Authority
    /// The schema version that the event is written in. Version 2 is signed.
    public var schema = 2

    /// The members as the log has them.
    public static let members = EventMembers<AdminDismissed>(
        "AdminDismissed", schemas: 1...2, AdminDismissed.init,
        Member("employeeId", \.employeeID), Member("by", \.by), .schema(\.schema))
}

/// An employee became the security admin in place of the one before.
public struct SecurityAdminSucceeded: EventPayload {
    /// The employee.
    public var employeeID: EmployeeID
    /// The fingerprints of the device keys that carry the role; `nil` in version 1.
    public let fingerprints: [KeyFingerprint]?
    /// The authority that decided.
    public var by: Authority
    /// The schema version that the event is written in. Version 2 lists the device keys that carry the role.
    public var schema = 2

    /// The members as the log has them.
    public static let members = EventMembers<SecurityAdminSucceeded>(
        "SecurityAdminSucceeded", schemas: 1...2, SecurityAdminSucceeded.init,
        Member("employeeId", \.employeeID), Member("fingerprints", \.fingerprints, .fingerprints, since: 2),
        Member("by", \.by), .schema(\.schema))
}
