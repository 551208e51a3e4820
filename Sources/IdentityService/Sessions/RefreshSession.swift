import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Exchanges a refresh token for new tokens.
///
/// The exchange is one compare-and-set of the session's counter, so of two requests with one token one wins. An
/// authentic token that is not the current one shows that another party holds a copy, however often the session was
/// refreshed since. The session then ends with all its tokens (RFC 9700 section 4.14.2). A forged token changes
/// nothing. No exchange postpones the session's own end.
public struct RefreshSession: RepeatableUseCase, CustomStringConvertible {
    /// The refresh token, which is the only credential.
    public let refreshToken: String
    /// A placeholder that never contains the token.
    public var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    public init(refreshToken: String) { self.refreshToken = refreshToken }

    /// The session, if the token is authentic.
    public func keyOwner(in context: ServiceContext) -> String? { RefreshToken(refreshToken, context.ring)?.scope }

    /// Whether the session exists: a caller without a session leaves no row.
    public func mayStore(in context: ServiceContext) async throws -> Bool {
        guard let token = RefreshToken(refreshToken, context.ring) else { return false }
        return try await Self.session(token, context) != nil
    }

    private struct Session {
        var employee: EmployeeID
        /// The number of refreshes.
        var counter: Int64
        var end: Timestamp
        /// When the session ends unless it is refreshed.
        var refreshEnd: Timestamp
        var isInForce: Bool
        var isSecretRevoked: Bool
        var app: UUID?
        var fingerprint: [UInt8]
        var methods: AuthenticationMethods
        var loggedIn: Timestamp

        /// Returns why the session ends when this token is refused, and the code of the refusal.
        func refusal(of token: RefreshToken, at time: Timestamp) -> (SessionEnd, ServiceError.Code) {
            if counter != token.counter { return (.refreshReused, .sessionInvalid) }
            if time >= min(end, refreshEnd) { return (.expired, .sessionExpired) }
            return (isSecretRevoked ? .secretRevoked : .appUnlinked, .sessionInvalid)
        }
    }

    /// Reads the session of a token, whichever of its tokens it is.
    private static func session(_ token: RefreshToken, _ context: ServiceContext) async throws -> Session? {
        let rows = try await context.pool.query(
            """
            SELECT s.employee_id, s.refresh_counter, s.ends_at, s.refresh_expires_at,
                \(SessionCutoff.isLinked) AND r.subject IS NULL, r.subject IS NOT NULL,
                s.app_id, s.fingerprint, s.methods, s.created_at
            FROM tenure.session s LEFT JOIN (
                \(SessionCutoff.revokedSecrets(.session(token.session), of: token.tenant))
            ) AS r ON r.subject = s.secret_id
            WHERE s.ledger_id = \(token.tenant) AND s.session_id = \(token.session)
            """, in: SessionCutoff.ledgers(of: token.tenant))
        return try rows.first.map { row in
            let (employee, counter, end, refreshEnd, isInForce, isRevoked, app, fingerprint, methods, created) =
                try row.decode(
                    UUID.self, Int64.self, PostgresTimestamp.self, PostgresTimestamp.self, Bool.self, Bool.self,
                    UUID?.self, [UInt8].self, String.self, PostgresTimestamp.self)
            return Session(
                employee: EmployeeID(employee), counter: counter,
                end: Timestamp(microseconds: end.microsecondsSinceUnixEpoch),
                refreshEnd: Timestamp(microseconds: refreshEnd.microsecondsSinceUnixEpoch), isInForce: isInForce,
                isSecretRevoked: isRevoked, app: app, fingerprint: fingerprint,
                methods: AuthenticationMethods(text: methods),
                loggedIn: Timestamp(microseconds: created.microsecondsSinceUnixEpoch))
        }
    }

    /// Exchanges the token.
    ///
    /// - Throws: `session.invalid` for a forged token, for one that was used, or for a session that has ended;
    ///   `session.expired`.
    public func run(_ run: UseCaseRun<IssuedTokens>) async throws -> IssuedTokens {
        let context = run.context, ticket = run.ticket, time = run.call.time
        guard let token = RefreshToken(refreshToken, context.ring),
            let session = try await Self.session(token, context)
        else { throw ServiceError(.sessionInvalid) }
        // A copy of the token ends the session, whatever else is out of order. The exchange below checks again.
        guard let app = session.app, session.isInForce, session.counter == token.counter,
            time < min(session.end, session.refreshEnd)
        else { throw try await refused(token, run) }
        let accessEnd = min(time.adding(context.settings.accessLifetime), session.end)
        let refreshEnd = min(time.adding(context.settings.refreshLifetime), session.end)
        let (access, notices) = try await accessToken(of: session, app, token, until: accessEnd, run)
        let digest = context.ring.accessTokenDigest(access)
        let next = token.next
        let tokens = IssuedTokens(
            accessToken: access, expiresAt: accessEnd, refreshToken: next.text(context.ring), notices: notices)
        let exchange: SQL = """
            UPDATE tenure.session s SET access_digest = \(digest), refresh_counter = \(next.counter),
                access_expires_at = \(accessEnd.postgres), refresh_expires_at = \(refreshEnd.postgres)
            WHERE s.ledger_id = \(token.tenant) AND s.session_id = \(token.session)
                AND s.refresh_counter = \(token.counter)
                AND least(s.refresh_expires_at, s.ends_at) > \(time.postgres)
                AND \(SessionCutoff.isInForce(.session(token.session), of: token.tenant))
            """
        // The reply is stored with the exchange, so a repeated call replays it and is no second use of the token.
        let completion = ticket?.completion(.success(tokens))
        let ledgers = SessionCutoff.ledgers(of: token.tenant) + (ticket.map { [$0.ledger] } ?? [])
        let isExchanged = try await context.pool.withTransaction(in: ledgers) { connection in
            guard try await connection.execute(exchange) == 1 else { return false }
            if let completion { _ = try await connection.execute(completion) }
            return true
        }
        guard isExchanged else { throw try await refused(token, run) }
        ticket?.markStored()
        return tokens
    }

    /// Signs the next access token, with the role that the employee has now, and reads the notices.
    private func accessToken(
        of session: Session, _ app: UUID, _ token: RefreshToken, until end: Timestamp, _ run: UseCaseRun<IssuedTokens>
    ) async throws -> (String, [Notice]) {
        let context = run.context, time = run.call.time
        let loader = StateLoader(reader: context.reader)
        let tenant = try await loader.tenant(TenantID(token.tenant))
        let employee = try await loader.employee(session.employee, in: tenant.id)
        let subject = TokenSubject(
            tenant: token.tenant, session: token.session, employee: session.employee.uuid, app: app,
            role: employee.sessionRole(of: session.fingerprint, in: tenant), methods: session.methods,
            loggedIn: session.loggedIn)
        let access = try await subject.token(for: app.lowercased, until: end, at: time, context)
        guard let user = employee.state.account?.user else { return (access, []) }
        let notices = try await context.notices(of: try await loader.user(user), in: tenant.id, at: time)
        return (access, notices + context.returnNotices(of: employee, in: tenant.state, at: time))
    }

    /// Ends the session that could not be refreshed, and returns the refusal.
    private func refused(_ token: RefreshToken, _ run: UseCaseRun<IssuedTokens>) async throws -> ServiceError {
        guard let session = try await Self.session(token, run.context) else { return ServiceError(.sessionInvalid) }
        let (reason, code) = session.refusal(of: token, at: run.call.time)
        let refusal = ServiceError(code)
        try await EndSession(context: run.context).run(
            token.session, in: TenantID(token.tenant), reason: reason, actor: session.employee, call: run.call,
            storing: run.ticket.map { (statement: $0.completion(.failure(refusal)), ledger: $0.ledger) })
        return refusal
    }
}
