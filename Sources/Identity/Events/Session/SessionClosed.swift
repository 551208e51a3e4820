public import Canonical

/// A session ended.
public struct SessionClosed: EventPayload {
    /// The permanent name.
    public static let type = "SessionClosed"
    /// The session.
    public var sessionID: SessionID
    /// Why.
    public var reason: SessionEnd

    /// Makes the event.
    public init(sessionID: SessionID, reason: SessionEnd) {
        self.sessionID = sessionID
        self.reason = reason
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "sessionId": sessionID.json,
            "reason": .string(reason.rawValue),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        sessionID = try reader.id("sessionId")
        reason = try reader.one("reason")
        try reader.finish()
    }
}
