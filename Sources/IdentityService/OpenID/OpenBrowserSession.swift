import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Opens a browser session for a session that a log-in has just opened, and returns its cookie.
///
/// Each log-in gets a new cookie, so a value that somebody placed in the browser before is worth nothing.
package struct OpenBrowserSession: UseCase {
    /// The employee, authenticated by the access token of the log-in.
    package let caller: EmployeeCaller

    /// Each parameter sets the property of the same name.
    package init(caller: EmployeeCaller) { self.caller = caller }

    /// Opens the browser session.
    ///
    /// - Throws: `session.invalid` if the session has ended.
    package func run(_ run: UseCaseRun<OpenedBrowserSession>) async throws -> OpenedBrowserSession {
        let context = run.context, time = run.call.time
        guard let session = try await context.session(caller.sessionId, of: caller.tenantId, at: time),
            session.isInForce, time < min(session.row.end, session.row.refreshEnd)
        else { throw ServiceError(.sessionInvalid) }
        let tenant = TenantID(caller.tenantId), cookie = BrowserCookie(tenant: tenant)
        let employee = EmployeeID(caller.employeeId)
        let row = BrowserSessionRow(
            tenant: tenant.uuid, id: cookie.id.uuid, session: session.row.id, employee: employee.uuid,
            digest: cookie.digest(context.ring), openedAt: time, end: session.row.end)
        var recorder = EventRecorder(
            context, at: time, metadata: EventMetadata(actor: employee.uuid, requestId: run.call.requestId))
        try recorder.add(
            BrowserSessionOpened(
                browserSessionID: cookie.id, sessionID: SessionID(session.row.id), employeeID: employee),
            to: .browserSession(cookie.id, in: tenant), version: 0)
        // A session that ends meanwhile is closed at version 2 of its stream.
        recorder.expectations[.session(session.row.id, in: tenant)] = 1
        recorder.statements = [row.insertion(context.ring)]
        do { try await recorder.append() } catch {
            guard error.code == .versionConflict else { throw ServiceError(error) ?? error }
            throw ServiceError(.sessionInvalid)
        }
        return OpenedBrowserSession(cookie: cookie.text, session: BrowserSession(row, session.row))
    }
}

/// Finds the browser session of a cookie.
package struct FindBrowserSession: UseCase, CustomStringConvertible {
    /// The value of the cookie.
    package let cookie: String
    /// A placeholder that never contains the cookie.
    package var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    package init(cookie: String) { self.cookie = cookie }

    /// Returns the browser session; `nil` if there is none in force.
    package func run(_ run: UseCaseRun<BrowserSession?>) async throws -> BrowserSession? {
        try await run.context.browserSession(cookie, at: run.call.time)
    }
}

/// Ends the session of a cookie, and with it the browser session and the grants that depend on it.
package struct CloseBrowserSession: UseCase, CustomStringConvertible {
    /// The value of the cookie.
    package let cookie: String
    /// A placeholder that never contains the cookie.
    package var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    package init(cookie: String) { self.cookie = cookie }

    /// Ends the session. Does nothing without one in force.
    package func run(_ run: UseCaseRun<Void>) async throws {
        guard let browser = try await run.context.browserSession(cookie, at: run.call.time) else { return }
        try await run.context.end(browser, run.call)
    }
}

extension ServiceContext {
    /// The browser session of a cookie; `nil` without one in force.
    func browserSession(_ cookie: String?, at time: Timestamp) async throws -> BrowserSession? {
        guard let cookie = cookie.flatMap(BrowserCookie.init),
            let row = try await BrowserSessionRow.find(cookie, self, at: time),
            let session = try await session(row.session, of: row.tenant, at: time), session.isInForce,
            session.row.employee == row.employee, time < min(session.row.end, session.row.refreshEnd)
        else { return nil }
        return BrowserSession(row, session.row)
    }

    /// Ends the session of a browser session.
    func end(_ browser: BrowserSession, _ call: Call) async throws {
        try await EndSession(context: self).run(
            browser.sessionID, in: TenantID(browser.tenantID), reason: .closed, actor: EmployeeID(browser.employeeID),
            call: call)
    }
}

extension BrowserSession {
    fileprivate init(_ row: BrowserSessionRow, _ session: SessionRow) {
        id = row.id
        sessionID = row.session
        tenantID = row.tenant
        employeeID = row.employee
        fingerprint = session.fingerprint
        authenticatedAt = session.createdAt
        methods = AuthenticationMethods(text: session.methods).values
        expiresAt = min(session.end, session.refreshEnd)
    }
}
