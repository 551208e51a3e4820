import Identity
import Postgres

/// Folds `first_security_admins`: the employee of position 1, and whoever succeeded.
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
