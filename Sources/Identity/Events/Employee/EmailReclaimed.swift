public import Canonical

/// The company took back an address it owns; the employee's keys end with it.
public struct EmailReclaimed: EventPayload {
    /// The permanent name.
    public static let type = "EmailReclaimed"
    /// The employee.
    public var employeeID: EmployeeID
    /// The user who loses the address.
    public var userID: UserID
    /// Why, in free text.
    public var reason: Personal
    /// Who decided.
    public var by: Authority

    /// Makes the event.
    public init(employeeID: EmployeeID, userID: UserID, reason: Personal, by: Authority) {
        self.employeeID = employeeID
        self.userID = userID
        self.reason = reason
        self.by = by
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "userId": userID.json,
            "reason": coder.seal(reason, at: "/data/reason"),
            "by": by.json(),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        userID = try reader.id("userId")
        reason = try reader.personal("reason")
        by = try reader.authority()
        try reader.finish()
    }
}
