package import Canonical
package import Identity
package import Keys
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
    package static let table = RowTable<SecurityAdminRow>(
        "first_security_admins", SecurityAdminRow.init,
        term(\.first, "employee_id", "event_id", "position", "since"),
        term(\.current, "current_employee_id", "current_event_id", "current_position", "current_since"))

    private static func term(
        _ get: @escaping @Sendable (SecurityAdminRow) -> Term, _ employee: String, _ event: String,
        _ position: String, _ since: String
    ) -> Column<SecurityAdminRow, Term> {
        let proof = Column<Term, EventPlace>(
            parts: \.proof, EventPlace.init, Column(event, \.id), Column(position, \.position))
        return Column(parts: get, Term.init, Column(employee, \.employee), proof, Column(since, \.since))
    }

    var viewKey: OnlyRow { OnlyRow() }
}

/// The read model of `first_security_admins`: the employee of position 1, and the successors.
struct FirstSecurityAdminsModel: ReadModel {
    static let name = ProjectionName.firstSecurityAdmins
    static let revision: Int32 = 1
    static let tables: [any ViewRow.Type] = [SecurityAdminRow.self]

    var admins = ViewRows<SecurityAdminRow>()

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
