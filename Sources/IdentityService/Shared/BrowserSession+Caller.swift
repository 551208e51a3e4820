extension BrowserSession {
    /// The person as use cases take it that ask for a session's owner.
    package var caller: EmployeeCaller {
        EmployeeCaller(
            tenantId: tenantID, employeeId: employeeID, sessionId: sessionID, fingerprint: fingerprint)
    }
}
