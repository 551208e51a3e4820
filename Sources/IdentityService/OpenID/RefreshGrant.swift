import Canonical
import ErrorCodes
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import TenureAPI

/// Exchanges the refresh token of a grant for new tokens (RFC 6749, section 6).
///
/// The exchange is one compare-and-set of the grant's row, so of two requests with one token one wins. A client with a
/// secret gets the same tokens again within ten seconds. Otherwise an authentic token that is not the newest one shows
/// that two parties hold the grant, and ends it (RFC 9700, section 4.14.2).
package struct RefreshGrant: RepeatableUseCase, Redacted {
    /// The time for which a client with a secret may present a token once more.
    static let leeway: Duration = .seconds(10)

    package let client: AuthenticatedClient
    package let refreshToken: String
    /// The scopes that the client wants now, separated by spaces; `nil` for those of the grant.
    package let scope: String?

    package init(client: AuthenticatedClient, refreshToken: String, scope: String? = nil) {
        self.client = client
        self.refreshToken = refreshToken
        self.scope = scope
    }

    /// The grant, if the token is authentic.
    package func keyOwner(in context: ServiceContext) -> String? {
        GrantRefreshToken(refreshToken, context.ring)?.owner
    }

    /// Whether the grant exists and is the client's: a caller without one leaves no row.
    package func mayStore(in context: ServiceContext) async throws -> Bool {
        guard let token = GrantRefreshToken(refreshToken, context.ring) else { return false }
        let row = try await GrantRow.find(token.id.uuid, of: token.tenant.uuid, context, at: context.settings.now())
        return row?.client == client.id
    }

    package func run(_ run: UseCaseRun<TokenAnswer>) async throws -> TokenAnswer {
        let context = run.context, time = run.call.time
        guard let token = GrantRefreshToken(refreshToken, context.ring) else { return .invalidGrant(.tokenUnknown) }
        // A concurrent exchange of the same token may win once; then the second look decides.
        for _ in 0..<2 {
            guard let row = try await GrantRow.find(token.id.uuid, of: token.tenant.uuid, context, at: time) else {
                return .invalidGrant(.grantEnded)
            }
            guard row.client == client.id else { return .invalidGrant(.clientDiffers) }
            guard row.counter == token.counter || isRepeated(token, row, at: time) else {
                let answer = TokenAnswer.invalidGrant(.tokenReused)
                try await EndGrant(context: context).run(
                    row.id, in: TenantID(row.tenant), .refreshReused, run.call,
                    storing: run.ticket.map { ($0.completion(.success(answer)), $0.ledger) })
                return answer
            }
            guard let log = try await context.grantInForce(row, at: time), let registration = log.registration else {
                return .invalidGrant(.grantEnded)
            }
            guard let scopes = wanted(of: row.scopes) else {
                RequestNotes.note(.scopeExceeded)
                return .refused(OAuthRefusal(error: "invalid_scope", description: "the scope is not that of the grant"))
            }
            guard row.counter == token.counter else {
                return .issued(
                    try await row.tokens(log, registration, nonce: nil, scopes: scopes, at: time, context))
            }
            var next = row
            next.session = log.sessionID
            next.counter += 1
            next.refreshedAt = time
            next.accessEnd = min(time.adding(context.settings.accessLifetime), row.end)
            let answer = TokenAnswer.issued(
                try await next.tokens(log, registration, nonce: nil, scopes: scopes, at: time, context))
            if try await exchange(row, next, answer, run) { return answer }
        }
        return .invalidGrant(.tokenReused)
    }

    /// Whether a client with a secret presents the token that it exchanged a moment ago.
    private func isRepeated(_ token: GrantRefreshToken, _ row: GrantRow, at time: Timestamp) -> Bool {
        client.secretID != nil && row.counter == token.counter + 1 && time < row.refreshedAt.adding(Self.leeway)
    }

    /// The scopes of the new tokens; `nil` if something is requested that the grant lacks. The grant keeps its scopes, so
    /// a later refresh may have them all (RFC 6749, section 6). Unknown scopes are ignored, as in an authorization
    /// request: clients send what they sent there. `openid` is in every token.
    private func wanted(of scopes: Set<OpenIDScope>) -> Set<OpenIDScope>? {
        guard let scope else { return scopes }
        let wanted = OpenIDScope.known(in: scope)
        return wanted.isSubset(of: scopes) ? wanted.union([.openid]) : nil
    }

    /// Replaces the row, and stores the reply with it. Returns whether the row was as it was read.
    private func exchange(
        _ row: GrantRow, _ next: GrantRow, _ answer: TokenAnswer, _ run: UseCaseRun<TokenAnswer>
    ) async throws -> Bool {
        let ticket = run.ticket, statement = next.replacing(row, run.context.ring)
        let statements = ticket.map { [$0.completion(.success(answer))] } ?? []
        let ledgers = [LedgerID(row.tenant)] + (ticket.map { [$0.ledger] } ?? [])
        let isExchanged = try await run.context.pool.withTransaction(in: ledgers) { connection in
            guard try await connection.execute(statement) == 1 else { return false }
            _ = try await connection.commit(after: statements)
            return true
        }
        if isExchanged { ticket?.markStored() }
        return isExchanged
    }
}
