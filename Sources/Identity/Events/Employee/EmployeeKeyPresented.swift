public import Canonical

/// A device showed a key that waits for somebody with authority.
public struct EmployeeKeyPresented: EventPayload {
    /// The permanent name.
    public static let type = "EmployeeKeyPresented"
    /// The employee.
    public var employeeID: EmployeeID
    /// The public key of the device.
    public var key: PublicKeyBytes
    /// The flow in which the device proved possession.
    public var flow: FlowID
    /// Whether it is the first key of the employee.
    public var first: Bool

    /// Makes the event.
    public init(employeeID: EmployeeID, key: PublicKeyBytes, flow: FlowID, first: Bool) {
        self.employeeID = employeeID
        self.key = key
        self.flow = flow
        self.first = first
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "employeeId": employeeID.json,
            "key": .bytes(key.bytes),
            "flow": flow.json,
            "first": .bool(first),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        key = try reader.key("key")
        flow = try reader.id("flow")
        first = try reader.bool("first")
        try reader.finish()
    }
}
