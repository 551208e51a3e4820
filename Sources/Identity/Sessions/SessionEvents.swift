package import Canonical

/// A session started after a log-in.
package struct SessionOpened: EventPayload {
    package var sessionID: SessionID
    package var employeeID: EmployeeID
    package var fingerprint: KeyFingerprint
    /// When the session ends at the latest.
    package var expiresAt: Timestamp
    package var appID: AppID
    package var secretID: SecretID

    package static let members = EventMembers<SessionOpened>(
        "SessionOpened", SessionOpened.init,
        Member("sessionId", \.sessionID), Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint),
        Member("expiresAt", \.expiresAt), Member("appId", \.appID), Member("secretId", \.secretID))

    package init(
        sessionID: SessionID, employeeID: EmployeeID, fingerprint: KeyFingerprint, expiresAt: Timestamp, appID: AppID,
        secretID: SecretID
    ) {
        self.sessionID = sessionID
        self.employeeID = employeeID
        self.fingerprint = fingerprint
        self.expiresAt = expiresAt
        self.appID = appID
        self.secretID = secretID
    }
}

/// A session ended.
package struct SessionClosed: EventPayload {
    package var sessionID: SessionID
    package var reason: SessionEnd
    /// The session of the same account and device key that goes on in its place; only with the reason `replaced`.
    package var successor: SessionID?

    package static let members = EventMembers<SessionClosed>(
        "SessionClosed", SessionClosed.init,
        Member("sessionId", \.sessionID), Member("reason", \.reason), Member(optional: "successor", \.successor))

    package init(sessionID: SessionID, reason: SessionEnd, successor: SessionID? = nil) {
        self.sessionID = sessionID
        self.reason = reason
        self.successor = successor
    }
}
