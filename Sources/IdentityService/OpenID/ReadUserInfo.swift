package import Canonical
import FoundationEssentials
import Identity

/// Tells a client about the person of a grant (OpenID Connect Core, section 5.3).
package struct ReadUserInfo: UseCase, Redacted {
    package let accessToken: String

    package init(accessToken: String) { self.accessToken = accessToken }

    /// Returns the claims; `nil` for a token that is not in force, or that is not one of a grant.
    package func run(_ run: UseCaseRun<JSONValue?>) async throws -> JSONValue? {
        let context = run.context, time = run.call.time
        guard let (row, log) = try await context.grant(of: accessToken, at: time) else { return nil }
        guard let registration = log.registration else { return RequestNotes.nothing(log.refusal ?? .grantEnded) }
        return .object(
            try await PersonClaims.of(
                log, registration, scopes: row.scopes, row: row, context))
    }
}

extension ServiceContext {
    /// The grant of the newest access token, with the scopes of the token; `nil` if the token is not in force.
    func grant(of accessToken: String, at time: Timestamp) async throws -> (row: GrantRow, log: GrantInLog)? {
        guard let token = GrantAccessToken(accessToken, ring) else {
            switch PresentedToken(accessToken) {
            case .accessToken: return RequestNotes.nothing(.apiTokenSent)
            case .idToken: return RequestNotes.nothing(.idTokenSent)
            case .other: return RequestNotes.nothing(.tokenUnknown)
            }
        }
        guard var row = try await GrantRow.find(token.id.uuid, of: token.tenant.uuid, self, at: time) else {
            return RequestNotes.nothing(.grantEnded)
        }
        RequestNotes.note { $0.client = row.client }
        guard row.counter == token.counter else { return RequestNotes.nothing(.tokenReused) }
        guard time < row.accessEnd else { return RequestNotes.nothing(.tokenExpired) }
        guard let log = try await grantInForce(row, at: time) else { return RequestNotes.nothing(.grantEnded) }
        row.scopes.formIntersection(token.fewerScopes ?? row.scopes)
        return (row, log)
    }
}
