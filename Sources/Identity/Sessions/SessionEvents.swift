public import Canonical

/// A session started after a log-in.
public struct SessionOpened: EventPayload {
    /// The permanent type name of the event.
    public static let type = "SessionOpened"
    /// Version 2 names the app and the secret that the session depends on.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The session.
    public var sessionID: SessionID
    /// The employee.
    public var employeeID: EmployeeID
    /// The fingerprint of the device key.
    public var fingerprint: KeyFingerprint
    /// When the session ends at the latest.
    public var expiresAt: Timestamp
    /// The app that opened the session; `nil` in version 1.
    public var appID: AppID?
    /// The secret that opened the session; `nil` in version 1.
    public var secretID: SecretID?

    /// Each parameter sets the member of the same name.
    public init(
        sessionID: SessionID, employeeID: EmployeeID, fingerprint: KeyFingerprint, expiresAt: Timestamp, appID: AppID?,
        secretID: SecretID?, schema: Int = 2
    ) {
        self.sessionID = sessionID
        self.employeeID = employeeID
        self.fingerprint = fingerprint
        self.expiresAt = expiresAt
        self.appID = appID
        self.secretID = secretID
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "sessionId": sessionID.json,
            "employeeId": employeeID.json,
            "fingerprint": .string(fingerprint.description),
            "expiresAt": .timestamp(expiresAt),
            "appId": appID?.json,
            "secretId": secretID?.json,
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        sessionID = try reader.id("sessionId")
        employeeID = try reader.id("employeeId")
        fingerprint = try reader.fingerprint("fingerprint")
        expiresAt = try reader.time("expiresAt")
        self.schema = schema
        appID = schema >= 2 ? try reader.id("appId") : nil
        secretID = schema >= 2 ? try reader.id("secretId") : nil
        try reader.finish()
    }
}

/// A session ended.
public struct SessionClosed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "SessionClosed"
    /// The session.
    public var sessionID: SessionID
    /// The reason, as a code.
    public var reason: SessionEnd

    /// Each parameter sets the member of the same name.
    public init(sessionID: SessionID, reason: SessionEnd) {
        self.sessionID = sessionID
        self.reason = reason
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "sessionId": sessionID.json,
            "reason": .string(reason.rawValue),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        sessionID = try reader.id("sessionId")
        reason = try reader.one("reason")
        try reader.finish()
    }
}
