public import Canonical

/// A browser got a cookie for a session. It ends with the session.
public struct BrowserSessionOpened: EventPayload {
    /// The browser session.
    public var browserSessionID: BrowserSessionID
    /// The session of the log-in.
    public var sessionID: SessionID
    /// The employee.
    public var employeeID: EmployeeID

    /// The members as the log has them.
    public static let members = EventMembers<BrowserSessionOpened>(
        "BrowserSessionOpened", BrowserSessionOpened.init,
        Member("browserSessionId", \.browserSessionID), Member("sessionId", \.sessionID),
        Member("employeeId", \.employeeID))

    package init(browserSessionID: BrowserSessionID, sessionID: SessionID, employeeID: EmployeeID) {
        self.browserSessionID = browserSessionID
        self.sessionID = sessionID
        self.employeeID = employeeID
    }
}
