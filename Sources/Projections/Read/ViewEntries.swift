/// An employee with the device keys, in the order in which they were presented.
public struct EmployeeWithKeys: Sendable, Equatable {
    /// The employee.
    public var employee: EmployeeRow
    /// The keys, the one presented longest ago first.
    public var keys: [EmployeeKeyRow]
}

/// The security admin of a company, with the employee's own row.
public struct SecurityAdminEntry: Sendable, Equatable {
    /// Founder and present security admin, with proofs.
    public var admin: SecurityAdminRow
    /// The present security admin; nil only while that view is behind.
    public var employee: EmployeeRow?
}

/// A key that waits, with the employee's row.
public struct PendingAuthorizationEntry: Sendable, Equatable {
    /// The key.
    public var authorization: PendingAuthorizationRow
    /// The employee; nil only while that view is behind.
    public var employee: EmployeeRow?
}
