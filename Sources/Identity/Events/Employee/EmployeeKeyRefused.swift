public import Canonical

/// A waiting key was turned down; it may be presented again.
public struct EmployeeKeyRefused: EventPayload {
    /// The permanent name.
    public static let type = "EmployeeKeyRefused"
    /// The employee.
    public var employeeID: EmployeeID
    /// The public key of the device.
    public var key: PublicKeyBytes
    /// Why, as a code.
    public var reason: ReasonCode
    /// A free-text reason.
    public var note: Personal?
    /// Who decided.
    public var by: Authority

    /// Makes the event.
    public init(employeeID: EmployeeID, key: PublicKeyBytes, reason: ReasonCode, note: Personal? = nil, by: Authority) {
        self.employeeID = employeeID
        self.key = key
        self.reason = reason
        self.note = note
        self.by = by
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "key": .bytes(key.bytes),
            "reason": .string(reason.text),
            "note": try note.map { try coder.seal($0, at: "/data/note") },
            "by": by.json(),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        key = try reader.key("key")
        reason = try reader.reason("reason")
        note = try reader.optionalPersonal("note")
        by = try reader.authority()
        try reader.finish()
    }
}
