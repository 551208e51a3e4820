import Canonical
import FoundationEssentials
import Identity
import Postgres

extension EmployeeKeyRow: ViewRow {
    /// Names a key within a company.
    struct Key: Hashable, Sendable {
        let employee: EmployeeID
        let key: PublicKeyBytes
    }

    static let table = "employee_keys"
    static let keyColumns = ["employee_id", "key"]
    static let columns = [
        "employee_id", "key", "state", "is_first", "flow_id", "presented_at", "presented_position",
        "presented_event_id", "decided_at", "decided_position", "decided_event_id", "decided_by", "decided_by_id",
        "reason", "note",
    ]

    var viewKey: Key { Key(employee: employee, key: key) }

    init(_ columns: inout ColumnReader) throws {
        employee = try columns.id()
        key = try columns.key()
        state = try columns.one()
        isFirst = try columns.next()
        flow = try columns.id()
        presentedAt = try columns.time()
        let position: Int64 = try columns.next()
        presented = EventPlace(id: try columns.next(), position: position)
        decision = try Decision(&columns)
    }

    static func arrays(_ rows: [EmployeeKeyRow]) -> [SQL] {
        arrays(keys: rows.map(\.viewKey)) + [
            "\(rows.map(\.state.rawValue))", "\(rows.map(\.isFirst))", "\(rows.map(\.flow.uuid))",
            "\(rows.map { PostgresTimestamp($0.presentedAt) })", "\(rows.map(\.presented.position))",
            "\(rows.map(\.presented.id))", "\(rows.map { $0.decision.map { PostgresTimestamp($0.time) } })",
            "\(rows.map { $0.decision?.place.position })", "\(rows.map { $0.decision?.place.id })",
            "\(rows.map { $0.decision?.by.kind })", "\(rows.map { $0.decision?.by.id })",
            "\(rows.map { $0.decision?.reason })", "\(rows.map { ($0.decision?.note?.json).map(PostgresJSON.init) })",
        ]
    }

    static func arrays(keys: [Key]) -> [SQL] { ["\(keys.map(\.employee.uuid))", "\(keys.map(\.key.bytes))"] }
}

extension EmployeeKeyRow.Decision {
    /// The seven columns of a decision; nil where no time is.
    fileprivate init?(_ columns: inout ColumnReader) throws {
        let time = try columns.optionalTime()
        let position: Int64? = try columns.next()
        let event: UUID? = try columns.next()
        let kind: String? = try columns.next()
        let id: UUID? = try columns.next()
        let reason: String? = try columns.next()
        let note = try columns.optionalText()
        guard let time else { return nil }
        guard let position, let event, let kind else { throw ProjectionError.unreadable(9) }
        self.init(
            time: time, place: EventPlace(id: event, position: position),
            by: EmployeeKeyRow.Decider(kind: kind, id: id), reason: reason, note: note)
    }
}

extension EmployeeKeyRow.Decider {
    /// What is shown of the member `by`.
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
