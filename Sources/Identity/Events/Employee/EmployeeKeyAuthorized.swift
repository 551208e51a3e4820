public import Canonical

/// A key may log in for the employee.
public struct EmployeeKeyAuthorized: EventPayload {
    /// The permanent name.
    public static let type = "EmployeeKeyAuthorized"
    /// The employee.
    public var employeeID: EmployeeID
    /// The public key of the device.
    public var key: PublicKeyBytes
    /// Who decided.
    public var by: Authority

    /// Makes the event.
    public init(employeeID: EmployeeID, key: PublicKeyBytes, by: Authority) {
        self.employeeID = employeeID
        self.key = key
        self.by = by
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "key": .bytes(key.bytes),
            "by": by.json(),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        key = try reader.key("key")
        by = try reader.authority()
        try reader.finish()
    }
}
