public import Canonical

/// The employee's personal data was erased: the key that opens it is destroyed with this event or right after it.
public struct EmployeeErased: EventPayload {
    /// The permanent name.
    public static let type = "EmployeeErased"
    /// The employee.
    public var employeeID: EmployeeID
    /// Who decided.
    public var by: Authority

    /// Makes the event.
    public init(employeeID: EmployeeID, by: Authority) {
        self.employeeID = employeeID
        self.by = by
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "by": by.json(),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        by = try reader.authority()
        try reader.finish()
    }
}
