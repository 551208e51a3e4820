import Canonical

/// A browser got a cookie for a session. It ends with the session.
package struct BrowserSessionOpened: EventPayload {
    /// The browser session.
    package var browserSessionID: BrowserSessionID
    /// The session of the log-in.
    package var sessionID: SessionID
    /// The employee.
    package var employeeID: EmployeeID

    /// The members as the log has them.
    package static let members = EventMembers<BrowserSessionOpened>(
        "BrowserSessionOpened", BrowserSessionOpened.init,
        Member("browserSessionId", \.browserSessionID), Member("sessionId", \.sessionID),
        Member("employeeId", \.employeeID))

    package init(browserSessionID: BrowserSessionID, sessionID: SessionID, employeeID: EmployeeID) {
        self.browserSessionID = browserSessionID
        self.sessionID = sessionID
        self.employeeID = employeeID
    }
}
