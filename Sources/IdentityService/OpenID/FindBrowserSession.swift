import Canonical
import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Finds the browser session of a cookie, and notes that it was used.
package struct FindBrowserSession: UseCase, Redacted {
    package let cookie: String

    package init(cookie: String) { self.cookie = cookie }

    /// Returns the browser session; `nil` if there is none in force.
    package func run(_ run: UseCaseRun<BrowserSession?>) async throws -> BrowserSession? {
        try await run.context.personInBrowser(cookie, at: run.call.time, isUse: true)?.session
    }
}

/// Returns the cookie of the browser session that a log-in opened, to the browser that sent its last form. Notes at the
/// stored request of the log-in that the person so chose the account: a client that asked for a choice gets it without
/// another question.
package struct TakeBrowserCookie: UseCase, Redacted {
    /// The key of the form, as in ``LogInBrowser/form``.
    package let form: String
    package let tenant: UUID
    /// The handle of the stored request; empty without one.
    package let request: String
    /// As ``LogInBrowser/known``.
    package let known: String?

    package init(form: String, tenant: UUID, request: String, known: String?) {
        self.form = form
        self.tenant = tenant
        self.request = request
        self.known = known
    }

    /// What a browser keeps of a log-in: the values of its cookies.
    package struct Cookies: Sendable, RedactedDescription {
        package let session: String
        /// Which accounts were logged in to there.
        package let known: String

        package init(session: String, known: String) {
            self.session = session
            self.known = known
        }
    }

    /// Returns the values of the cookies.
    ///
    /// - Throws: `session.invalid` if the session has ended since.
    package func run(_ run: UseCaseRun<Cookies>) async throws -> Cookies {
        let context = run.context, time = run.call.time
        let cookie = BrowserCookie(tenant: TenantID(tenant), ofForm: form, context.ring).text
        guard let browser = try await context.browserSession(cookie, at: time) else {
            throw ServiceError(.sessionInvalid)
        }
        if var stored = try await StoredRequest.find(request, context, at: time) {
            stored.answers.chosen = EmployeeID(browser.employeeID)
            // Whoever changed the request meanwhile has answered a page of it, which asks again if it must.
            _ = try await stored.update(context)
        }
        let known = KnownAccounts(known, context.ring)
        return Cookies(
            session: cookie, known: known.adding(EmployeeID(browser.employeeID), in: TenantID(browser.tenantID)))
    }
}

/// Ends the session of a cookie, and with it the browser session and the grants that depend on it.
package struct CloseBrowserSession: UseCase, Redacted {
    package let cookie: String

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
        try await personInBrowser(cookie, at: time)?.session
    }

    /// The browser session of a cookie, with what the log says about it; `nil` without one in force.
    ///
    /// - Parameter isUse: Whether the person uses a page, so that an admin's session goes on.
    func personInBrowser(
        _ cookie: String?, at time: Timestamp, isUse: Bool = false
    ) async throws -> (session: BrowserSession, log: SessionInLog)? {
        guard let cookie = cookie.flatMap(BrowserCookie.init),
            let row = try await BrowserSessionRow.find(cookie, self, at: time),
            let session = try await session(row.session, of: row.tenant), session.isInForce,
            session.row.employee == row.employee, let app = session.row.app
        else { return nil }
        let log = try await SessionInLog.read(
            row.session, of: EmployeeID(row.employee), in: TenantID(row.tenant), app: AppID(app), self
        ).log
        guard log.end(of: session.row) == nil, time < min(log.longestEnd(of: session.row), session.row.refreshEnd)
        else { return nil }
        if isUse { try await BrowserUse(session.row, at: time).note(self) }
        return (BrowserSession(row, session.row), log)
    }

    func end(_ browser: BrowserSession, _ call: Call) async throws {
        try await EndSession(context: self).run(
            browser.sessionID, in: TenantID(browser.tenantID), reason: .closed, actor: EmployeeID(browser.employeeID),
            call: call)
    }

    /// The session of an id, or that which replaced it, however often; `nil` if the last one has ended.
    func presentSession(_ id: UUID, of tenant: UUID) async throws -> StoredSession? {
        if let session = try await session(id, of: tenant) { return session }
        guard let last = try await successors(of: id, in: TenantID(tenant)).last else { return nil }
        return try await session(last, of: tenant)
    }

    /// The sessions that replaced one, the first one first.
    func successors(of session: UUID, in tenant: TenantID) async throws -> [UUID] {
        var found: [UUID] = [], next = session
        while found.count < Self.longestSuccession {
            let stream = StreamID.session(next, in: tenant)
            let last = try await reader.streams([stream])[stream]?.last
            guard let last, let closed = try EventCodec.payload(of: last) as? SessionClosed,
                let successor = closed.successor
            else { break }
            next = successor.uuid
            found.append(next)
        }
        return found
    }

    /// The number of replacements that are followed. Each grant moves on with the next one, so that only a log-out after
    /// many log-ins needs more than one.
    private static let longestSuccession = 64
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
