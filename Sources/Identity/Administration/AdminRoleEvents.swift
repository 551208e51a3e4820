public import Canonical

/// An employee became an admin.
public struct AdminAppointed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AdminAppointed"
    /// Version 2 lists the device keys that carry the role.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The employee.
    public var employeeID: EmployeeID
    /// The authority that decided.
    public var by: Authority
    /// The fingerprints of the device keys that carry the role; `nil` in version 1.
    public var fingerprints: [KeyFingerprint]?

    /// Each parameter sets the member of the same name.
    public init(
        employeeID: EmployeeID, fingerprints: [KeyFingerprint]?, by: Authority, schema: Int = 2
    ) {
        self.employeeID = employeeID
        self.by = by
        self.fingerprints = fingerprints
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "by": by.json(),
            "fingerprints": fingerprints.map { .array($0.map { .string($0.description) }) },
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        by = try reader.authority()
        self.schema = schema
        fingerprints = schema >= 2 ? try reader.fingerprints("fingerprints") : nil
        try reader.finish()
    }
}

/// An admin became an ordinary employee again.
public struct AdminDismissed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AdminDismissed"
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

/// An employee became the security admin in place of the one before.
public struct SecurityAdminSucceeded: EventPayload {
    /// The permanent type name of the event.
    public static let type = "SecurityAdminSucceeded"
    /// Version 2 lists the device keys that carry the role.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The employee.
    public var employeeID: EmployeeID
    /// The authority that decided.
    public var by: Authority
    /// The fingerprints of the device keys that carry the role; `nil` in version 1.
    public var fingerprints: [KeyFingerprint]?

    /// Each parameter sets the member of the same name.
    public init(
        employeeID: EmployeeID, fingerprints: [KeyFingerprint]?, by: Authority, schema: Int = 2
    ) {
        self.employeeID = employeeID
        self.by = by
        self.fingerprints = fingerprints
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "by": by.json(),
            "fingerprints": fingerprints.map { .array($0.map { .string($0.description) }) },
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        by = try reader.authority()
        self.schema = schema
        fingerprints = schema >= 2 ? try reader.fingerprints("fingerprints") : nil
        try reader.finish()
    }
}
