import AccessTokens
import Canonical
import TenureAPI

@testable import IdentityService

extension Samples {
    /// The body of an endpoint of tokens that needs one; `nil` for other endpoints.
    static func tokenBody(_ endpoint: Endpoint) -> String? {
        switch endpoint {
        case .introspectToken, .revokeToken: "token=a.b.c&token_type_hint=access_token"
        case .issueGrantTokens: "grant_type=refresh_token&refresh_token=a&client_id=b"
        case .authorizeByForm: "client_id=a&redirect_uri=b"
        case .issueResourceToken: #"{"resource":"https://payroll.example/api"}"#
        default: nil
        }
    }
}

extension FakeService {
    static let issuer = "https://id.example"
    static let tokenKey = TokenSigningKey().publicKey
    static let activeClaims = AccessTokenClaims(
        issuer: issuer, subject: employeeId, audience: appId.lowercased, expiresAt: 1_800_000_300,
        issuedAt: 1_800_000_000, id: appId, clientID: appId, sessionID: employeeId, tenantID: employeeId,
        role: "employee", methods: ["pop", "pwd", "mfa"], authenticatedAt: 1_799_999_000)

    /// The answer to a request about tokens; `nil` for other requests.
    func tokenAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case is ReadTokenIssuer:
            try await enter("tokenIssuer", [:], call)
            return Self.issuer
        case is ReadTokenKeys:
            try await enter("tokenKeys", [:], call)
            return TokenKeySet(keys: [Self.tokenKey]).json
        case let introspect as IntrospectToken:
            try await enter(
                "introspectToken", ["token": introspect.token, "app": introspect.app.appId.lowercased], call)
            return .some(claims as any Sendable)
        case let revoke as RevokeToken:
            try await enter("revokeToken", ["token": revoke.token, "app": revoke.app.appId.lowercased], call)
            return ()
        case let issue as IssueResourceToken:
            try await enter("issueResourceToken", ["resource": issue.resource], call)
            return ResourceTokenResponse(accessToken: "a.b.c", expiresAt: Self.time)
        // No token is one of a grant.
        case is IntrospectGrantToken: return .some(JSONValue?.none as any Sendable)
        case is RevokeGrantToken: return false
        default: return nil
        }
    }
}
