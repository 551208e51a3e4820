import Canonical
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
struct RefreshSession: Sendable {
    let context: ServiceContext
    let token: RefreshToken
    /// The employee of the session.
    private let employee: EmployeeID
    /// When the session ends for good.
    private let end: Timestamp

    /// Reads a token and its session, before anything is stored for the call: a caller without a session leaves no row.
    ///
    /// - Throws: `session.invalid` for a forged token, or for a session that has ended.
    init(_ context: ServiceContext, refreshToken: String) async throws {
        guard let token = RefreshToken(refreshToken, context.ring),
            let session = try await Self.session(token, context)
        else { throw ServiceError(.sessionInvalid) }
        self.context = context
        self.token = token
        employee = session.employee
        end = session.end
    }

    /// The owner of an idempotency key.
    var scope: String { token.scope }

    private struct Session {
        var employee: EmployeeID
        /// The number of refreshes.
        var counter: Int64
        var end: Timestamp
        /// When the session ends unless it is refreshed.
        var refreshEnd: Timestamp
        var isInForce: Bool
        var isSecretRevoked: Bool

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
            SELECT s.employee_id, s.refresh_counter, s.ends_at, s.refresh_expires_at, \(SessionCutoff.isInForce),
                EXISTS (SELECT FROM tenure.session_cutoff c
                    WHERE c.ledger_id = \(LedgerID.system.uuid) AND c.subject = s.secret_id)
            FROM tenure.session s WHERE s.ledger_id = \(token.tenant) AND s.session_id = \(token.session)
            """, in: SessionCutoff.ledgers(of: token.tenant))
        return try rows.first.map { row in
            let (employee, counter, end, refreshEnd, isInForce, isRevoked) = try row.decode(
                UUID.self, Int64.self, PostgresTimestamp.self, PostgresTimestamp.self, Bool.self, Bool.self)
            return Session(
                employee: EmployeeID(employee), counter: counter,
                end: Timestamp(microseconds: end.microsecondsSinceUnixEpoch),
                refreshEnd: Timestamp(microseconds: refreshEnd.microsecondsSinceUnixEpoch), isInForce: isInForce,
                isSecretRevoked: isRevoked)
        }
    }

    func run(_ call: Call, ticket: IdempotencyTicket?) async throws -> IssuedTokens {
        let access = SessionToken(tenant: token.tenant, session: token.session)
        let accessEnd = min(call.time.adding(context.settings.accessLifetime), end)
        let refreshEnd = min(call.time.adding(context.settings.refreshLifetime), end)
        let digest = context.ring.sessionTokenDigest(kind: "access", access.bytes)
        let next = token.next
        let tokens = IssuedTokens(
            accessToken: access.text, expiresAt: accessEnd, refreshToken: next.text(context.ring),
            notices: try await context.notices(for: employee, in: TenantID(token.tenant), at: call.time))
        let exchange: SQL = """
            UPDATE tenure.session s SET access_digest = \(digest), refresh_counter = \(next.counter),
                access_expires_at = \(accessEnd.postgres), refresh_expires_at = \(refreshEnd.postgres)
            WHERE s.ledger_id = \(token.tenant) AND s.session_id = \(token.session)
                AND s.refresh_counter = \(token.counter)
                AND least(s.refresh_expires_at, s.ends_at) > \(call.time.postgres) AND \(SessionCutoff.isInForce)
            """
        // The reply is stored with the exchange, so a repeated call replays it and is no second use of the token.
        let completion = ticket?.completion(.object(["answer": tokens.stored]))
        let ledgers = SessionCutoff.ledgers(of: token.tenant) + (ticket.map { [$0.ledger] } ?? [])
        let isExchanged = try await context.pool.withTransaction(in: ledgers) { connection in
            guard try await connection.execute(exchange) == 1 else { return false }
            if let completion { _ = try await connection.execute(completion) }
            return true
        }
        if isExchanged { return tokens }
        throw try await refused(call, ticket)
    }

    /// Ends the session that could not be refreshed, and returns the refusal.
    private func refused(_ call: Call, _ ticket: IdempotencyTicket?) async throws -> ServiceError {
        guard let session = try await Self.session(token, context) else { return ServiceError(.sessionInvalid) }
        let (reason, code) = session.refusal(of: token, at: call.time)
        let refusal = ServiceError(code)
        try await CloseSession(context: context).close(
            session: token.session, tenant: TenantID(token.tenant), reason: reason, actor: session.employee,
            call: call, refusing: ticket.map { (ticket: $0, refusal: refusal) })
        return refusal
    }
}

extension RefreshSession {
    /// The refusal of a token without a session: the stored refusal of the same call if that ended the session,
    /// otherwise `error`. Nothing is written for a caller without a session.
    static func refusal(
        _ error: any Error, of refreshToken: String, _ call: Call, _ context: ServiceContext
    ) async throws -> any Error {
        guard let token = RefreshToken(refreshToken, context.ring) else { return error }
        return try await IdempotentCall(context: context).refusal(of: call, scope: token.scope) ?? error
    }
}
