package import Canonical
package import EventCoding
package import FoundationEssentials
package import Identity
package import Keys
import Postgres

/// A row of the projection `employee_keys`: a device key of an employee.
package struct EmployeeKeyRow: Sendable, Equatable {
    /// The state of a device key according to the log. Whether a pending one has expired depends on the time.
    package enum State: String, Sendable, Hashable, CaseIterable {
        case pending
        /// Is in force.
        case authorized
        case refused
        case revoked
    }

    /// The authority that decided, without the signed statement.
    package struct Decider: Sendable, Hashable {
        /// `founding`, `policy`, `app`, `employee` or `operator`.
        package var kind: String
        /// The id of the app or the employee.
        package var id: UUID?
    }

    /// The last decision about a key.
    package struct Decision: Sendable, Hashable {
        package var time: Timestamp
        /// The event that holds the decision.
        package var place: EventPlace
        package var by: Decider
        /// The reason as a code, if the key was refused or revoked.
        package var reason: String?
        /// The reason in free text, encrypted under the employee's person key.
        package var note: SealedText?
    }

    package var employee: EmployeeID
    package var key: PublicKeyBytes
    /// The key's state according to the log.
    package var state: State
    package var isFirst: Bool
    /// The flow that presented it last.
    package var flow: FlowID
    /// The time at which it was presented last.
    package var presentedAt: Timestamp
    /// The event that presented it last.
    package var presented: EventPlace
    /// The decision that led to ``state``, or `nil` while the key is pending.
    package var decision: Decision?

    /// The time at which a pending key expires.
    package var expiresAt: Timestamp { presentedAt.adding(Employee.pendingLifetime) }

    package func isExpired(at time: Timestamp) -> Bool { state == .pending && expiresAt < time }

    /// The name of the state at a time: that of ``state``, or `expired`.
    package func stateName(at time: Timestamp) -> String { isExpired(at: time) ? "expired" : state.rawValue }
}

extension EmployeeKeyRow: ViewRow {
    /// Identifies a key within a tenant.
    struct Key: Hashable, Sendable {
        let employee: EmployeeID
        let key: PublicKeyBytes
    }

    package static let table = RowTable<EmployeeKeyRow>(
        "employee_keys", EmployeeKeyRow.init,
        Column(key: "employee_id", \.employee), Column(key: "key", \.key), Column("state", \.state),
        Column("is_first", \.isFirst), Column("flow_id", \.flow), Column("presented_at", \.presentedAt),
        presented,
        decision)
    private static let presented = Column<EmployeeKeyRow, EventPlace>(
        parts: \.presented, EventPlace.init,
        Column("presented_event_id", \.id), Column("presented_position", \.position))
    private static let decision = Column<EmployeeKeyRow, Decision?>(
        optional: \.decision, Decision.init,
        Column("decided_at", \.time), place, by, Column("reason", \.reason), Column("note", \.note))
    private static let place = Column<Decision, EventPlace>(
        parts: \.place, EventPlace.init,
        Column("decided_event_id", \.id), Column("decided_position", \.position))
    private static let by = Column<Decision, Decider>(
        parts: \.by, Decider.init(kind:id:), Column("decided_by", \.kind), Column("decided_by_id", \.id))

    var viewKey: Key { Key(employee: employee, key: key) }
}

extension EmployeeKeyRow.State: ColumnValue {}

extension EmployeeKeyRow.Decider {
    /// The decider that the member `by` of an event shows.
    init(_ authority: Authority) {
        switch authority {
        case .founding: self.init(kind: "founding")
        case .policy: self.init(kind: "policy")
        case .operator: self.init(kind: "operator")
        case .app(let app, _, _): self.init(kind: "app", id: app.uuid)
        case .employee(let employee, _): self.init(kind: "employee", id: employee.uuid)
        }
    }
}

/// The read model of `employee_keys`.
struct EmployeeKeysModel: ReadModel {
    static let name = ProjectionName.employeeKeys
    static let revision: Int32 = 1
    static let tables: [any ViewRow.Type] = [EmployeeKeyRow.self]

    var keys = ViewRows<EmployeeKeyRow>()

    static let types: [any EventPayload.Type] = [
        EmployeeKeyPresented.self, EmployeeKeyAuthorized.self, EmployeeKeyRefused.self, EmployeeKeyRevoked.self,
        EmailReclaimed.self, EmployeeCancelled.self, EmployeeErased.self,
        EmployeeIdReleased.self, ReturnCompleted.self,
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
        case let payload as ReturnCompleted:
            let by = Authority.employee(payload.employeeID, nil)
            decide(payload.employeeID, payload.proof.key, .authorized, decision(by, event))
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
        case let payload as EmployeeIdReleased: end(payload.employeeID, decision(payload.by, event))
        case let payload as EmployeeCancelled: end(payload.employeeID, decision(payload.by, event))
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

    /// Revokes every key of an employee after a cancellation, a reclaim, a release of the id or an erasure. A key that
    /// is already revoked keeps its own decision.
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
