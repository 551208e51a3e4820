public import Canonical

/// A device presented a key, which is pending.
public struct EmployeeKeyPresented: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmployeeKeyPresented"
    /// The employee.
    public var employeeID: EmployeeID
    /// The public half of the device key.
    public var key: PublicKeyBytes
    /// The flow in which the device proved possession of the key.
    public var flow: FlowID
    /// Whether it is the employee's first key.
    public var first: Bool

    /// Each parameter sets the member of the same name.
    public init(employeeID: EmployeeID, key: PublicKeyBytes, flow: FlowID, first: Bool) {
        self.employeeID = employeeID
        self.key = key
        self.flow = flow
        self.first = first
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "employeeId": employeeID.json,
            "key": .bytes(key.bytes),
            "flow": flow.json,
            "first": .bool(first),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        key = try reader.key("key")
        flow = try reader.id("flow")
        first = try reader.bool("first")
        try reader.finish()
    }
}

/// A device key was authorized: it may log in for the employee.
public struct EmployeeKeyAuthorized: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmployeeKeyAuthorized"
    /// The employee.
    public var employeeID: EmployeeID
    /// The public half of the device key.
    public var key: PublicKeyBytes
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(employeeID: EmployeeID, key: PublicKeyBytes, by: Authority) {
        self.employeeID = employeeID
        self.key = key
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "key": .bytes(key.bytes),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        key = try reader.key("key")
        by = try reader.authority()
        try reader.finish()
    }
}

/// A pending device key was refused for good.
public struct EmployeeKeyRefused: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmployeeKeyRefused"
    /// The employee.
    public var employeeID: EmployeeID
    /// The public half of the device key.
    public var key: PublicKeyBytes
    /// The reason, as a code.
    public var reason: ReasonCode
    /// The reason, in free text.
    public var note: Personal?
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(employeeID: EmployeeID, key: PublicKeyBytes, reason: ReasonCode, note: Personal? = nil, by: Authority) {
        self.employeeID = employeeID
        self.key = key
        self.reason = reason
        self.note = note
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "key": .bytes(key.bytes),
            "reason": .string(reason.text),
            "note": try note.map { try coder.seal($0, at: "/data/note") },
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        key = try reader.key("key")
        reason = try reader.reason("reason")
        note = try reader.optionalPersonal("note")
        by = try reader.authority()
        try reader.finish()
    }
}

/// An authorized device key was revoked for good.
public struct EmployeeKeyRevoked: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmployeeKeyRevoked"
    /// The employee.
    public var employeeID: EmployeeID
    /// The public half of the device key.
    public var key: PublicKeyBytes
    /// The reason, as a code.
    public var reason: ReasonCode
    /// The reason, in free text.
    public var note: Personal?
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(employeeID: EmployeeID, key: PublicKeyBytes, reason: ReasonCode, note: Personal? = nil, by: Authority) {
        self.employeeID = employeeID
        self.key = key
        self.reason = reason
        self.note = note
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "key": .bytes(key.bytes),
            "reason": .string(reason.text),
            "note": try note.map { try coder.seal($0, at: "/data/note") },
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        key = try reader.key("key")
        reason = try reader.reason("reason")
        note = try reader.optionalPersonal("note")
        by = try reader.authority()
        try reader.finish()
    }
}
