/// Where an employee stands with the company; a gate of its own beside the authorization of keys.
public enum EmployeeStatus: String, Sendable, Hashable, CaseIterable {
    /// Registered, not approved yet.
    case registered
    /// Approved: may log in.
    case active
    /// Cancelled: may not log in.
    case cancelled
}

/// What an employee may do for the company.
public enum EmployeeRole: String, Sendable, Hashable, CaseIterable {
    /// The one who founded the tenant, or who succeeded.
    case securityAdmin
    /// Appointed.
    case admin
    /// Everybody else.
    case employee

    /// Whether the role may administer the company.
    public var isAdministrative: Bool { self != .employee }
}
