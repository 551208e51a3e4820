public import Canonical
import FoundationEssentials
public import Identity
import Postgres

/// An employee as the view keeps one.
public struct EmployeeRow: Sendable, Equatable {
    /// The employee.
    public var id: EmployeeID
    /// The user behind the employee.
    public var user: UserID
    /// The employee id as first entered, sealed under the employee's key.
    public var companyEmployeeID: SealedText
    /// The address as first entered, sealed under the employee's key.
    public var email: SealedText
    /// Whether the address was claimed for the company.
    public var isCompanyOwnedEmail: Bool
    /// Whether founding, the policy or an admin approved the employee.
    public var isApproved: Bool
    /// Whether the employee is cancelled.
    public var isCancelled: Bool
    /// Whether the address was reclaimed, which is for ever.
    public var isReclaimed: Bool
    /// Whether the employee was appointed an admin.
    public var isAppointed: Bool
    /// Whether the employee is the security admin.
    public var isSecurityAdmin: Bool
    /// When the employee registered.
    public var registeredAt: Timestamp
    /// The position of the registration: what lists are ordered by, and the cursor of their pages.
    public var registeredPosition: Int64
    /// When the row changed last.
    public var changedAt: Timestamp
    /// The position of the event that changed the row last.
    public var changedPosition: Int64

    /// Where the employee stands; reinstating approves nobody.
    public var status: EmployeeStatus { isCancelled ? .cancelled : isApproved ? .active : .registered }
    /// What the employee may do for the company.
    public var role: EmployeeRole { isSecurityAdmin ? .securityAdmin : isAppointed ? .admin : .employee }
}

extension EmployeeRow: ViewRow {
    static let table = "employees"
    static let keyColumns = ["employee_id"]
    static let columns = [
        "employee_id", "user_id", "company_employee_id", "email", "is_company_owned_email", "status", "role",
        "is_approved", "is_appointed", "is_reclaimed", "registered_at", "registered_position", "changed_at",
        "changed_position",
    ]

    var viewKey: EmployeeID { id }

    init(_ columns: inout ColumnReader) throws {
        id = try columns.id()
        user = try columns.id()
        companyEmployeeID = try columns.text()
        email = try columns.text()
        isCompanyOwnedEmail = try columns.next()
        isCancelled = try columns.one(EmployeeStatus.self) == .cancelled
        isSecurityAdmin = try columns.one(EmployeeRole.self) == .securityAdmin
        isApproved = try columns.next()
        isAppointed = try columns.next()
        isReclaimed = try columns.next()
        registeredAt = try columns.time()
        registeredPosition = try columns.next()
        changedAt = try columns.time()
        changedPosition = try columns.next()
    }

    static func arrays(_ rows: [EmployeeRow]) -> [SQL] {
        [
            "\(rows.map(\.id.uuid))", "\(rows.map(\.user.uuid))",
            "\(rows.map { PostgresJSON($0.companyEmployeeID.json) })", "\(rows.map { PostgresJSON($0.email.json) })",
            "\(rows.map(\.isCompanyOwnedEmail))", "\(rows.map(\.status.rawValue))", "\(rows.map(\.role.rawValue))",
            "\(rows.map(\.isApproved))", "\(rows.map(\.isAppointed))", "\(rows.map(\.isReclaimed))",
            "\(rows.map { PostgresTimestamp($0.registeredAt) })", "\(rows.map(\.registeredPosition))",
            "\(rows.map { PostgresTimestamp($0.changedAt) })", "\(rows.map(\.changedPosition))",
        ]
    }

    static func arrays(keys: [EmployeeID]) -> [SQL] { ["\(keys.map(\.uuid))"] }
}
