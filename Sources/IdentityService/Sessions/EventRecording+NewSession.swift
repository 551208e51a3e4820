import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

extension EventRecording {
    /// Adds the opening of a session to an append. In a browser the append opens the browser session too, and ends the
    /// session that the browser had.
    ///
    /// - Parameters:
    ///   - employee: The actor of the events; `nil` for that of the append.
    ///   - keepsGrants: Whether the grants of the former session go on, if the same person logged in with the same key.
    mutating func open(_ session: NewSession, by employee: EmployeeID? = nil, keepsGrants: Bool = true) async throws {
        var metadata = recorder.metadata
        if let employee { metadata.actor = employee.uuid }
        let row = session.row, tenant = TenantID(row.tenant)
        try recorder.add(session.event, to: .session(row.id, in: tenant), version: 0, metadata: metadata)
        recorder.statements.append(session.insertion)
        guard let browser = session.browser else { return }
        let cookie = BrowserCookie(tenant: tenant, ofForm: browser.form, context.ring)
        try recorder.add(
            BrowserSessionOpened(
                browserSessionID: cookie.id, sessionID: SessionID(row.id), employeeID: EmployeeID(row.employee)),
            to: .browserSession(cookie.id, in: tenant), version: 0, metadata: metadata)
        let opened = BrowserSessionRow(
            tenant: row.tenant, id: cookie.id.uuid, session: row.id, employee: row.employee,
            digest: cookie.digest(context.ring), openedAt: recorder.time, end: row.end)
        recorder.statements.append(opened.insertion(context.ring))
        if let former = try await context.browserSession(browser.cookie, at: recorder.time) {
            try await end(former, for: row, keepsGrants: keepsGrants, metadata)
        }
    }

    /// Ends the session that the browser had. One of the same account and device key is replaced, and its grants move
    /// to the new session; whoever else was logged in is logged out.
    private mutating func end(
        _ former: BrowserSession, for row: SessionRow, keepsGrants: Bool, _ metadata: EventMetadata
    ) async throws {
        let tenant = TenantID(former.tenantID), stream = StreamID.session(former.sessionID, in: tenant)
        let isPerson = former.tenantID == row.tenant && former.employeeID == row.employee
        let isReplaced = isPerson && former.fingerprint == row.fingerprint && keepsGrants
        try recorder.add(
            SessionClosed(
                sessionID: SessionID(former.sessionID), reason: isReplaced ? .replaced : .closed,
                successor: isReplaced ? SessionID(row.id) : nil),
            to: stream, version: 1,
            // The ledger of another account does not name who logged in.
            metadata: isPerson ? metadata : EventMetadata(requestId: metadata.requestId))
        recorder.statements.append(EndSession.deletion([former.sessionID], in: tenant))
        guard isReplaced else { return }
        recorder.statements += try await GrantRow.moving(
            from: former.sessionID, of: former.employeeID, to: row.id, of: former.tenantID, context, at: recorder.time)
    }
}
