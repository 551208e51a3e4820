public import Canonical

/// An employee logged in.
public struct SessionOpened: EventPayload {
    /// The permanent name.
    public static let type = "SessionOpened"
    /// The session.
    public var sessionID: SessionID
    /// The employee.
    public var employeeID: EmployeeID
    /// The fingerprint of the device's key.
    public var fingerprint: Fingerprint
    /// When the session ends at the latest.
    public var expiresAt: Timestamp

    /// Makes the event.
    public init(sessionID: SessionID, employeeID: EmployeeID, fingerprint: Fingerprint, expiresAt: Timestamp) {
        self.sessionID = sessionID
        self.employeeID = employeeID
        self.fingerprint = fingerprint
        self.expiresAt = expiresAt
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "sessionId": sessionID.json,
            "employeeId": employeeID.json,
            "fingerprint": .string(fingerprint.description),
            "expiresAt": .timestamp(expiresAt),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        sessionID = try reader.id("sessionId")
        employeeID = try reader.id("employeeId")
        fingerprint = try reader.fingerprint("fingerprint")
        expiresAt = try reader.time("expiresAt")
        try reader.finish()
    }
}
