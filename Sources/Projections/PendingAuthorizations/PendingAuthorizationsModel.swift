import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Folds `pending_authorizations`: the keys whose last event presented them.
struct PendingAuthorizationsModel: ReadModel {
    static let name = ProjectionName.pendingAuthorizations
    static let revision: Int32 = 1
    static let tables: [any ViewRow.Type] = [PendingAuthorizationRow.self]

    var pending = RowTable<PendingAuthorizationRow>()

    static let types = EmployeeKeysModel.types

    static func rows(touchedBy events: [ProjectedEvent], _ scope: ViewScope) -> [SQL] {
        [PendingAuthorizationRow.select(scope, employees: events.employees)]
    }

    mutating func load(_ results: [[PostgresRow]]) throws { try pending.load(results.first ?? []) }

    mutating func apply(_ event: ProjectedEvent) throws {
        switch event.payload {
        case let payload as EmployeeKeyPresented:
            let row = PendingAuthorizationRow(
                employee: payload.employeeID, key: payload.key, isFirst: payload.first, flow: payload.flow,
                presentedAt: event.time, presented: EventPlace(id: event.id, position: event.position),
                presentedLeaf: event.recorded.leaf)
            pending[row.viewKey] = row
        case let payload as EmployeeKeyAuthorized: decided(payload.employeeID, payload.key)
        case let payload as EmployeeKeyRefused: decided(payload.employeeID, payload.key)
        case let payload as EmployeeKeyRevoked: decided(payload.employeeID, payload.key)
        case let payload as EmailReclaimed: end(payload.employeeID)
        case let payload as EmployeeErased: end(payload.employeeID)
        case let payload as EmployeeCancelled where payload.reason == .reclaimed: end(payload.employeeID)
        default: break
        }
    }

    func changes(_ scope: ViewScope) -> [SQL] { pending.changes(scope) }

    func comparisons(_ scope: ViewScope) -> [(table: String, statement: SQL)] {
        [pending.comparison(scope)]
    }

    private mutating func decided(_ employee: EmployeeID, _ key: PublicKeyBytes) {
        pending[EmployeeKeyRow.Key(employee: employee, key: key)] = nil
    }

    private mutating func end(_ employee: EmployeeID) {
        for row in pending.rows.values where row.employee == employee { pending[row.viewKey] = nil }
    }
}
