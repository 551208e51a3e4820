public import Canonical
import FoundationEssentials
public import Identity
import Postgres

/// A company as the view keeps it.
public struct TenantRow: Sendable, Equatable {
    /// The name as first entered.
    public var companyName: String
    /// When the founder registered.
    public var foundedAt: Timestamp
    /// How many employees are not cancelled.
    public var employees: Int64
    /// The domain in canonical form, once it is confirmed.
    public var confirmedDomain: String?
    /// The rules.
    public var policy: TenantPolicy
    /// The apps that may act for the tenant, in the order of their ids.
    public var linkedApps: [AppID]
    /// The security admin.
    public var securityAdmin: EmployeeID
    /// The position of the event that changed the row last.
    public var changedPosition: Int64
}

extension TenantRow: ViewRow {
    static let table = "tenants"
    static let keyColumns: [String] = []
    static let columns = [
        "company_name", "founded_at", "employees", "confirmed_domain", "key_authorization", "approval", "blind_only",
        "questions_with_passphrase", "linked_apps", "security_admin_id", "changed_position",
    ]

    var viewKey: OnlyRow { OnlyRow() }

    init(_ columns: inout ColumnReader) throws {
        companyName = try columns.next()
        foundedAt = try columns.time()
        employees = try columns.next()
        confirmedDomain = try columns.next()
        policy = TenantPolicy(
            keyAuthorization: try columns.one(), approval: try columns.one(), blindOnly: try columns.next(),
            questionsWithPassphrase: try columns.next())
        linkedApps = try Self.apps(try columns.json())
        securityAdmin = try columns.id()
        changedPosition = try columns.next()
    }

    static func arrays(_ rows: [TenantRow]) -> [SQL] {
        [
            "\(rows.map(\.companyName))", "\(rows.map { PostgresTimestamp($0.foundedAt) })", "\(rows.map(\.employees))",
            "\(rows.map(\.confirmedDomain))", "\(rows.map(\.policy.keyAuthorization.rawValue))",
            "\(rows.map(\.policy.approval.rawValue))", "\(rows.map(\.policy.blindOnly))",
            "\(rows.map(\.policy.questionsWithPassphrase))",
            "\(rows.map { PostgresJSON(.array($0.linkedApps.map(\.json))) })", "\(rows.map(\.securityAdmin.uuid))",
            "\(rows.map(\.changedPosition))",
        ]
    }

    static func arrays(keys: [OnlyRow]) -> [SQL] { [] }

    private static func apps(_ json: JSONValue) throws -> [AppID] {
        guard case .array(let items) = json else { throw ProjectionError.unreadable(8) }
        return try items.map { item in
            guard case .string(let text) = item, let id = AppID(text: text) else {
                throw ProjectionError.unreadable(8)
            }
            return id
        }
    }
}

/// An employee whom `tenants.employees` does not count.
struct CancelledEmployeeRow: ViewRow {
    static let table = "tenant_cancelled_employees"
    static let keyColumns = ["employee_id"]
    static let columns = ["employee_id"]

    let viewKey: UUID

    init(_ employee: EmployeeID) { viewKey = employee.uuid }
    init(_ columns: inout ColumnReader) throws { viewKey = try columns.next() }

    static func arrays(_ rows: [CancelledEmployeeRow]) -> [SQL] { arrays(keys: rows.map(\.viewKey)) }
    static func arrays(keys: [UUID]) -> [SQL] { ["\(keys)"] }
}
