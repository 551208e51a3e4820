public import Canonical
import FoundationEssentials
public import Identity
import Postgres

/// Who founded a company, and who is its security admin now.
public struct SecurityAdminRow: Sendable, Equatable {
    /// An employee and the event that made them the security admin.
    public struct Term: Sendable, Equatable {
        /// The employee.
        public var employee: EmployeeID
        /// The event that proves it: the first of the ledger, or a `SecurityAdminSucceeded`.
        public var proof: EventPlace
        /// Since when.
        public var since: Timestamp
    }

    /// The founder, proven by position 1 of the ledger.
    public var first: Term
    /// The security admin as of now; the founder until somebody succeeds.
    public var current: Term
}

extension SecurityAdminRow: ViewRow {
    static let table = "first_security_admins"
    static let keyColumns: [String] = []
    static let columns = [
        "employee_id", "event_id", "position", "since", "current_employee_id", "current_event_id", "current_position",
        "current_since",
    ]

    var viewKey: OnlyRow { OnlyRow() }

    init(_ columns: inout ColumnReader) throws {
        first = try Term(&columns)
        current = try Term(&columns)
    }

    static func arrays(_ rows: [SecurityAdminRow]) -> [SQL] {
        Term.arrays(rows.map(\.first)) + Term.arrays(rows.map(\.current))
    }

    static func arrays(keys: [OnlyRow]) -> [SQL] { [] }
}

extension SecurityAdminRow.Term {
    fileprivate init(_ columns: inout ColumnReader) throws {
        employee = try columns.id()
        proof = EventPlace(id: try columns.next(), position: try columns.next())
        since = try columns.time()
    }

    fileprivate static func arrays(_ terms: [Self]) -> [SQL] {
        [
            "\(terms.map(\.employee.uuid))", "\(terms.map(\.proof.id))", "\(terms.map(\.proof.position))",
            "\(terms.map { PostgresTimestamp($0.since) })",
        ]
    }
}
