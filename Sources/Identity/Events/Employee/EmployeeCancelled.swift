public import Canonical

/// The employee may not log in any more.
public struct EmployeeCancelled: EventPayload {
    /// The permanent name.
    public static let type = "EmployeeCancelled"
    /// The employee.
    public var employeeID: EmployeeID
    /// Why.
    public var reason: CancellationReason
    /// A free-text reason.
    public var note: Personal?
    /// Who decided.
    public var by: Authority

    /// Makes the event.
    public init(employeeID: EmployeeID, reason: CancellationReason, note: Personal? = nil, by: Authority) {
        self.employeeID = employeeID
        self.reason = reason
        self.note = note
        self.by = by
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "reason": .string(reason.rawValue),
            "note": try note.map { try coder.seal($0, at: "/data/note") },
            "by": by.json(),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        reason = try reader.one("reason")
        note = try reader.optionalPersonal("note")
        by = try reader.authority()
        try reader.finish()
    }
}
