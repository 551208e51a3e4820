/// An employee as replies show one.
public struct EmployeeSummary: Sendable, Equatable {
    /// The tenant's name as first entered.
    public var companyName: String
    /// The employee id as first entered; `nil` once erased.
    public var companyEmployeeId: String?
    /// `registered`, `active` or `cancelled`.
    public var status: String
    /// `securityAdmin`, `admin` or `employee`.
    public var role: String

    /// Each parameter sets the property of the same name.
    package init(companyName: String, companyEmployeeId: String?, status: String, role: String) {
        self.companyName = companyName
        self.companyEmployeeId = companyEmployeeId
        self.status = status
        self.role = role
    }
}
