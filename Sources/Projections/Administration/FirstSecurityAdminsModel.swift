package import Canonical
import FoundationEssentials
package import Identity
import Postgres

/// A row of the projection `first_security_admins`: the founder of a tenant and its present security admin.
package struct SecurityAdminRow: Sendable, Equatable {
    /// An employee and the event that made them the security admin.
    package struct Term: Sendable, Equatable {
        package var employee: EmployeeID
        /// The event that proves it: the first of the ledger, or a `SecurityAdminSucceeded`.
        package var proof: EventPlace
        /// The time of that event.
        package var since: Timestamp
    }

    /// The founder, proved by position 1 of the ledger.
    package var first: Term
    /// The present security admin, who is the founder until the first succession.
    package var current: Term
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

/// The read model of `first_security_admins`: the employee of position 1, and the successors.
struct FirstSecurityAdminsModel: ReadModel {
    static let name = ProjectionName.firstSecurityAdmins
    static let revision: Int32 = 1
    static let tables: [any ViewRow.Type] = [SecurityAdminRow.self]

    var admins = RowTable<SecurityAdminRow>()

    static let types: [any EventPayload.Type] = [EmployeeRegistered.self, SecurityAdminSucceeded.self]

    static func concerns(_ event: ProjectedEvent) -> Bool {
        event.payload is SecurityAdminSucceeded || event.position == 1
    }

    static func rows(touchedBy events: [ProjectedEvent], _ scope: ViewScope) -> [SQL] {
        [SecurityAdminRow.select(scope)]
    }

    mutating func load(_ results: [[PostgresRow]]) throws { try admins.load(results.first ?? []) }

    mutating func apply(_ event: ProjectedEvent) throws {
        let proof = EventPlace(id: event.id, position: event.position)
        switch event.payload {
        case let payload as EmployeeRegistered where event.position == 1:
            let founder = SecurityAdminRow.Term(employee: payload.employeeID, proof: proof, since: event.time)
            admins[OnlyRow()] = SecurityAdminRow(first: founder, current: founder)
        case let payload as SecurityAdminSucceeded:
            admins[OnlyRow()]?.current = SecurityAdminRow.Term(
                employee: payload.employeeID, proof: proof, since: event.time)
        default: break
        }
    }

    func changes(_ scope: ViewScope) -> [SQL] { admins.changes(scope) }

    func comparisons(_ scope: ViewScope) -> [(table: String, statement: SQL)] {
        [admins.comparison(scope)]
    }
}
