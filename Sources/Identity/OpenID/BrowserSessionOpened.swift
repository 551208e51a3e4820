import Canonical

/// A browser got a cookie for a session. It ends with the session.
package struct BrowserSessionOpened: EventPayload {
    package var browserSessionID: BrowserSessionID
    /// The session of the log-in.
    package var sessionID: SessionID
    package var employeeID: EmployeeID

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
