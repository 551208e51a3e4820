import AccessTokens
import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
package import TenureAPI

/// Exchanges a refresh token for new tokens.
///
/// The exchange is one compare-and-set of the session's row, so of two requests with one token one wins. The other one gets
/// the same reply, if it comes from the app within ten seconds; see ``RefreshReply``. Otherwise an authentic token that is
/// not the current one shows that another party holds a copy, however often the session was refreshed since. The session
/// then ends with all its tokens (RFC 9700 section 4.14.2). A forged token changes nothing. No exchange postpones the
/// session's own end.
package struct RefreshSession: RepeatableUseCase, Redacted {
    /// The refresh token, which is the only credential that the exchange needs.
    package let refreshToken: String
    /// The app, if it presented its secret. Only then a token may be presented twice at once.
    package let app: AppCaller?

    package init(refreshToken: String, app: AppCaller? = nil) {
        self.refreshToken = refreshToken
        self.app = app
    }

    /// The session, if the token is authentic.
    package func keyOwner(in context: ServiceContext) -> String? { RefreshToken(refreshToken, context.ring)?.owner }

    /// Whether the session exists: a caller without a session leaves no row.
    package func mayStore(in context: ServiceContext) async throws -> Bool {
        guard let token = RefreshToken(refreshToken, context.ring) else { return false }
        return try await context.session(token.id.uuid, of: token.tenant.uuid) != nil
    }

    /// Exchanges the token.
    ///
    /// - Throws: `session.invalid` for a forged token, or for a session that has ended; `session.reused` for a token that
    ///   was used, which ends the session; `session.expired`.
    package func run(_ run: UseCaseRun<SessionResponse>) async throws -> SessionResponse {
        guard let token = RefreshToken(refreshToken, run.context.ring) else {
            let isAccessToken = UnverifiedAccessToken(refreshToken) != nil
            throw ServiceError(isAccessToken ? TokenFault.accessForRefresh : .notARefreshToken)
        }
        guard let session = try await run.context.session(token.id.uuid, of: token.tenant.uuid) else {
            throw ServiceError(TokenFault.sessionEnded)
        }
        if let tokens = try await exchange(token, session, run) { return tokens }
        return try await refused(token, run)
    }

    /// Exchanges the token; `nil` if the session's row refuses it.
    private func exchange(
        _ token: RefreshToken, _ session: StoredSession, _ run: UseCaseRun<SessionResponse>
    ) async throws -> SessionResponse? {
        let context = run.context, ticket = run.ticket, time = run.call.time
        // A copy of the token ends the session, whatever else is out of order. The exchange below checks again.
        guard let app = session.row.app, session.isInForce, session.row.counter == token.counter,
            time < min(session.row.end, session.row.refreshEnd)
        else { return nil }
        let log = try await SessionInLog.read(
            session.row.id, of: EmployeeID(session.row.employee), in: TenantID(session.row.tenant), app: AppID(app),
            context
        ).log
        if let end = log.end(of: session.row) {
            throw try await ended(
                session.row, Refusal(reason: log.isClosed ? nil : end, code: .sessionInvalid), run)
        }
        var next = session.row
        next.end = log.longestEnd(of: next)
        guard time < next.end else {
            throw try await ended(session.row, Refusal(reason: .expired, code: .sessionExpired), run)
        }
        next.accessEnd = min(time.adding(context.settings.accessLifetime), next.end)
        next.refreshEnd = min(time.adding(context.settings.refreshLifetime), next.end)
        next.counter += 1
        let methods = AuthenticationMethods(text: next.methods)
        let subject = TokenSubject(
            tenant: next.tenant, session: next.id, employee: next.employee, app: app,
            role: log.employee.sessionRole(of: next.fingerprint, by: methods, in: log.tenant),
            methods: methods, loggedIn: next.createdAt)
        let access = try await subject.token(for: app.lowercased, until: next.accessEnd, at: time, context)
        next.accessDigest = context.ring.accessTokenDigest(access)
        let tokens = SessionResponse(
            accessToken: access, expiresAt: next.accessEnd,
            refreshToken: RefreshToken(
                tenant: token.tenant, id: token.id, counter: token.counter + 1, context.ring
            ).text,
            notices: try await log.notices(at: time, context))
        var statements: [SQL] = []
        if self.app?.appId == app {
            let reply = RefreshReply(of: next, exchangedAt: session.readAt)
            statements.append(try reply.insertion(tokens, for: refreshToken, context.ring))
        }
        // The reply is stored with the exchange, so a repeated call replays it and is no second use of the token.
        if let ticket { statements.append(ticket.completion(.success(tokens))) }
        let ledgers = SessionCutoff.ledgers(of: token.tenant.uuid) + (ticket.map { [$0.ledger] } ?? [])
        let exchange = next.replacing(
            session.row,
            where: """
                least(s.refresh_expires_at, s.ends_at) > \(time.postgres)
                    AND \(SessionCutoff.isInForce(.session(next.id), of: next.tenant))
                """, context.ring)
        let isExchanged = try await context.pool.withTransaction(in: ledgers) { [statements] connection in
            guard try await connection.execute(exchange) == 1 else { return false }
            _ = try await connection.commit(after: statements)
            return true
        }
        guard isExchanged else { return nil }
        ticket?.markStored()
        return tokens
    }

    /// Returns the reply to the exchange that came first, or ends the session that could not be refreshed.
    ///
    /// - Throws: The refusal.
    private func refused(_ token: RefreshToken, _ run: UseCaseRun<SessionResponse>) async throws -> SessionResponse {
        let context = run.context, time = run.call.time
        guard let session = try await context.session(token.id.uuid, of: token.tenant.uuid) else {
            throw ServiceError(TokenFault.sessionEnded)
        }
        let row = session.row
        if let app, app.appId == row.app, session.isInForce, time < min(row.end, row.refreshEnd),
            row.counter == token.counter + 1,
            let tokens = try await RefreshReply.find(for: refreshToken, of: row, context)
        {
            return tokens
        }
        let end: (reason: SessionEnd, code: ErrorCode) =
            if row.counter != token.counter {
                (.refreshReused, .sessionReused)
            } else if time >= min(row.end, row.refreshEnd) {
                (.expired, .sessionExpired)
            } else {
                (session.isSecretRevoked ? .secretRevoked : .appUnlinked, .sessionInvalid)
            }
        throw try await ended(row, Refusal(reason: end.reason, code: end.code), run)
    }

    /// Why a session is not refreshed.
    private struct Refusal {
        /// The reason to record; `nil` if the log has the end already.
        var reason: SessionEnd?
        var code: ErrorCode
    }

    /// Ends the session, and returns the refusal.
    private func ended(
        _ row: SessionRow, _ end: Refusal, _ run: UseCaseRun<SessionResponse>
    ) async throws -> ServiceError {
        let refusal = end.code == .sessionInvalid ? ServiceError(TokenFault.sessionEnded) : ServiceError(end.code)
        guard let reason = end.reason else {
            // The log has its end already, so somebody put the row back.
            run.context.rows.counts.count(SessionRow.table.coded, hasCode: true)
            try await run.context.forget(session: row.id, of: row.tenant)
            return refusal
        }
        try await EndSession(context: run.context).run(
            row.id, in: TenantID(row.tenant), reason: reason, actor: EmployeeID(row.employee), call: run.call,
            storing: run.ticket.map { (statement: $0.completion(.failure(refusal)), ledger: $0.ledger) })
        return refusal
    }
}

extension ServiceContext {
    /// Deletes the row of a session that has ended in the log.
    func forget(session: UUID, of tenant: UUID) async throws {
        _ = try await pool.query(
            "DELETE FROM tenure.session WHERE ledger_id = \(tenant) AND session_id = \(session)",
            in: [LedgerID(tenant)])
    }
}

extension SessionInLog {
    /// The messages to the owner of the account.
    fileprivate func notices(at time: Timestamp, _ context: ServiceContext) async throws -> [NoticeResponse] {
        guard let user else { return [] }
        return try await context.notices(of: user, in: tenant.id, at: time)
            + context.returnNotices(of: employee, in: tenant.state, at: time)
    }
}
