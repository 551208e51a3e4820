public import Canonical

/// An employee was approved and is active.
public struct EmployeeApproved: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmployeeApproved"
    /// Version 2 is signed and says whether the approval verifies the address.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The employee.
    public var employeeID: EmployeeID
    /// The authority that decided.
    public var by: Authority
    /// Whether the approval verifies the address, which is in a confirmed domain of the tenant.
    public var emailVerified: Bool

    /// Each parameter sets the member of the same name.
    public init(
        employeeID: EmployeeID, emailVerified: Bool = false, by: Authority, schema: Int = 2
    ) {
        self.employeeID = employeeID
        self.by = by
        self.emailVerified = emailVerified
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "by": by.json(),
            "emailVerified": schema >= 2 ? .bool(emailVerified) : nil,
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        by = try reader.authority()
        self.schema = schema
        emailVerified = schema >= 2 ? try reader.bool("emailVerified") : false
        try reader.finish()
    }
}

/// An employee was cancelled and may no longer log in.
public struct EmployeeCancelled: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmployeeCancelled"
    /// Version 2 is signed, and ends device keys, sessions and the admin role.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The employee.
    public var employeeID: EmployeeID
    /// The reason, as a code.
    public var reason: CancellationReason
    /// The reason, in free text.
    public var note: Personal?
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        employeeID: EmployeeID, reason: CancellationReason, note: Personal? = nil, by: Authority, schema: Int = 2
    ) {
        self.employeeID = employeeID
        self.reason = reason
        self.note = note
        self.by = by
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "reason": .string(reason.rawValue),
            "note": try note.map { try coder.seal($0, at: "/data/note") },
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        reason = try reader.one("reason")
        note = try reader.optionalPersonal("note")
        by = try reader.authority()
        self.schema = schema
        try reader.finish()
    }
}

/// A cancellation was taken back.
public struct EmployeeReinstated: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmployeeReinstated"
    /// Version 2 is signed.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The employee.
    public var employeeID: EmployeeID
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        employeeID: EmployeeID, by: Authority, schema: Int = 2
    ) {
        self.employeeID = employeeID
        self.by = by
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        by = try reader.authority()
        self.schema = schema
        try reader.finish()
    }
}

/// All sessions of an employee were ended by somebody with authority.
public struct EmployeeSessionsEnded: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmployeeSessionsEnded"
    /// The employee.
    public var employeeID: EmployeeID
    /// The reason, as a code.
    public var reason: ReasonCode
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        employeeID: EmployeeID, reason: ReasonCode, by: Authority
    ) {
        self.employeeID = employeeID
        self.reason = reason
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "reason": .string(reason.text),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        reason = try reader.reason("reason")
        by = try reader.authority()
        try reader.finish()
    }
}

/// A tenant reclaimed an address that it owns; the employee's device keys end with it.
public struct EmailReclaimed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmailReclaimed"
    /// Version 2 is signed.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The employee.
    public var employeeID: EmployeeID
    /// The user who loses the address.
    public var userID: UserID
    /// The reason, in free text.
    public var reason: Personal
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        employeeID: EmployeeID, userID: UserID, reason: Personal, by: Authority, schema: Int = 2
    ) {
        self.employeeID = employeeID
        self.userID = userID
        self.reason = reason
        self.by = by
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "userId": userID.json,
            "reason": coder.seal(reason, at: "/data/reason"),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        userID = try reader.id("userId")
        reason = try reader.personal("reason")
        by = try reader.authority()
        self.schema = schema
        try reader.finish()
    }
}
