public import Canonical
import FoundationEssentials
public import Identity
import Postgres

/// A key that waits for somebody with authority.
public struct PendingAuthorizationRow: Sendable, Equatable {
    /// The employee.
    public var employee: EmployeeID
    /// The public key.
    public var key: PublicKeyBytes
    /// Whether it is the employee's first.
    public var isFirst: Bool
    /// The flow that presented it.
    public var flow: FlowID
    /// When it was presented.
    public var presentedAt: Timestamp
    /// Where it was presented; the position is the cursor of pages.
    public var presented: EventPlace
    /// The leaf hash of that event's entry, 32 bytes: statements name it.
    public var presentedLeaf: [UInt8]

    /// Until when it waits.
    public var expiresAt: Timestamp { presentedAt.adding(Employee.pendingLifetime) }

    /// Whether it waited too long at a time.
    public func isExpired(at time: Timestamp) -> Bool { expiresAt < time }
}

extension PendingAuthorizationRow: ViewRow {
    static let table = "pending_authorizations"
    static let keyColumns = ["employee_id", "key"]
    static let columns = [
        "employee_id", "key", "is_first", "flow_id", "presented_at", "presented_position", "presented_event_id",
        "presented_leaf",
    ]

    var viewKey: EmployeeKeyRow.Key { EmployeeKeyRow.Key(employee: employee, key: key) }

    init(_ columns: inout ColumnReader) throws {
        employee = try columns.id()
        key = try columns.key()
        isFirst = try columns.next()
        flow = try columns.id()
        presentedAt = try columns.time()
        let position: Int64 = try columns.next()
        presented = EventPlace(id: try columns.next(), position: position)
        presentedLeaf = try columns.next()
    }

    static func arrays(_ rows: [PendingAuthorizationRow]) -> [SQL] {
        arrays(keys: rows.map(\.viewKey)) + [
            "\(rows.map(\.isFirst))", "\(rows.map(\.flow.uuid))", "\(rows.map { PostgresTimestamp($0.presentedAt) })",
            "\(rows.map(\.presented.position))", "\(rows.map(\.presented.id))", "\(rows.map(\.presentedLeaf))",
        ]
    }

    static func arrays(keys: [EmployeeKeyRow.Key]) -> [SQL] { EmployeeKeyRow.arrays(keys: keys) }
}
