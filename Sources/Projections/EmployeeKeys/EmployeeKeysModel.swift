import FoundationEssentials
import Identity
import Postgres

/// Folds `employee_keys`.
struct EmployeeKeysModel: ReadModel {
    static let name = ProjectionName.employeeKeys
    static let revision: Int32 = 1
    static let tables: [any ViewRow.Type] = [EmployeeKeyRow.self]

    var keys = RowTable<EmployeeKeyRow>()

    static let types: [any EventPayload.Type] = [
        EmployeeKeyPresented.self, EmployeeKeyAuthorized.self, EmployeeKeyRefused.self, EmployeeKeyRevoked.self,
        EmailReclaimed.self, EmployeeCancelled.self, EmployeeErased.self,
    ]

    static func rows(touchedBy events: [ProjectedEvent], _ scope: ViewScope) -> [SQL] {
        [EmployeeKeyRow.select(scope, employees: events.employees)]
    }

    mutating func load(_ results: [[PostgresRow]]) throws { try keys.load(results.first ?? []) }

    mutating func apply(_ event: ProjectedEvent) throws {
        switch event.payload {
        case let payload as EmployeeKeyPresented: present(payload, event)
        case let payload as EmployeeKeyAuthorized:
            decide(payload.employeeID, payload.key, .authorized, decision(payload.by, event))
        case let payload as EmployeeKeyRefused:
            let note = try payload.note.map { _ in try event.sealedText("note") }
            decide(
                payload.employeeID, payload.key, .refused,
                decision(payload.by, event, reason: payload.reason.text, note: note))
        case let payload as EmployeeKeyRevoked:
            let note = try payload.note.map { _ in try event.sealedText("note") }
            decide(
                payload.employeeID, payload.key, .revoked,
                decision(payload.by, event, reason: payload.reason.text, note: note))
        case let payload as EmailReclaimed: end(payload.employeeID, decision(payload.by, event))
        case let payload as EmployeeErased: end(payload.employeeID, decision(payload.by, event))
        case let payload as EmployeeCancelled where payload.reason == .reclaimed:
            end(payload.employeeID, decision(payload.by, event))
        default: break
        }
    }

    func changes(_ scope: ViewScope) -> [SQL] { keys.changes(scope) }

    func comparisons(_ scope: ViewScope) -> [(table: String, statement: SQL)] {
        [keys.comparison(scope)]
    }

    private mutating func present(_ payload: EmployeeKeyPresented, _ event: ProjectedEvent) {
        let row = EmployeeKeyRow(
            employee: payload.employeeID, key: payload.key, state: .pending, isFirst: payload.first,
            flow: payload.flow, presentedAt: event.time,
            presented: EventPlace(id: event.id, position: event.position), decision: nil)
        keys[row.viewKey] = row
    }

    private mutating func decide(
        _ employee: EmployeeID, _ key: PublicKeyBytes, _ state: EmployeeKeyRow.State,
        _ decision: EmployeeKeyRow.Decision
    ) {
        guard var row = keys[EmployeeKeyRow.Key(employee: employee, key: key)] else { return }
        row.state = state
        row.decision = decision
        keys[row.viewKey] = row
    }

    /// A reclaimed address and an erasure end every key of the employee; one that was revoked before keeps its own decision.
    private mutating func end(_ employee: EmployeeID, _ decision: EmployeeKeyRow.Decision) {
        for row in keys.rows.values where row.employee == employee && row.state != .revoked {
            decide(employee, row.key, .revoked, decision)
        }
    }

    private func decision(
        _ by: Authority, _ event: ProjectedEvent, reason: String? = nil, note: SealedText? = nil
    ) -> EmployeeKeyRow.Decision {
        EmployeeKeyRow.Decision(
            time: event.time, place: EventPlace(id: event.id, position: event.position), by: .init(by),
            reason: reason, note: note)
    }
}
