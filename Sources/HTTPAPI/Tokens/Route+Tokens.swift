import AccessTokens
import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    /// Every cache may keep the metadata and the public keys for five minutes, the lifetime of an access token.
    private static let cacheable = "public, max-age=300"

    static let readTokenMetadata = Route(.readTokenMetadata) { exchange in
        let issuer = try await exchange.run(ReadTokenIssuer())
        var reply = Reply.json(TokenMetadataResponse(issuer: issuer))
        reply.headers["Cache-Control"] = cacheable
        return reply
    }

    static let readTokenKeys = Route(.readTokenKeys) { exchange in
        let keys = try await exchange.run(ReadTokenKeys())
        return Reply(
            headers: ["Content-Type": "application/jwk-set+json", "Cache-Control": cacheable],
            body: keys.canonicalBytes())
    }

    static let introspectToken = Route(.introspectToken) { exchange in
        let request = try exchange.tokenForm()
        if let grant = try await exchange.run(IntrospectGrantToken(app: exchange.app(), token: request.token)) {
            return Reply(headers: ["Content-Type": "application/json"], body: grant.canonicalBytes())
        }
        let claims = try await exchange.run(IntrospectToken(app: exchange.app(), token: request.token))
        return .json(claims.map { TokenIntrospectionResponse.active(.init($0)) } ?? .inactive)
    }

    /// `POST /oauth/revoke`. The reply tells nothing about the token (RFC 7009 §2.2).
    static let revokeToken = Route(.revokeToken) { exchange in
        let request = try exchange.tokenForm()
        guard case .app(let app)? = exchange.presented else {
            // A public client, or one that has its secret in the form. It has grants only.
            guard let client = try? await exchange.client(FormReader(exchange.body)) else { throw Refusal(.appUnknown) }
            _ = try await exchange.run(RevokeGrantToken(client: client, token: request.token))
            return Reply()
        }
        let client = AuthenticatedClient(app)
        if try await exchange.run(RevokeGrantToken(client: client, token: request.token)) { return Reply() }
        try await exchange.run(RevokeToken(app: app, token: request.token))
        return Reply()
    }

    static let issueResourceToken = Route(.issueResourceToken) { exchange in
        let request = try exchange.read(ResourceTokenRequest.self)
        let issued = try await exchange.run(
            IssueResourceToken(caller: exchange.employee(), resource: request.resource))
        return .json(issued)
    }

    /// The routes of tokens, in the order of the documentation.
    static var ofTokens: [Route] {
        [readTokenMetadata, readTokenKeys, introspectToken, revokeToken, issueResourceToken]
    }
}

extension RoutedRequest {
    /// Reads the form of a request about a token.
    fileprivate func tokenForm() throws(Refusal) -> TokenFormRequest {
        do {
            return try TokenFormRequest(form: body)
        } catch {
            throw .invalid(error.parameter.map { .parameter($0) } ?? .none, error.reason)
        }
    }
}

extension TokenIntrospectionResponse.Claims {
    fileprivate init(_ claims: AccessTokenClaims) {
        self.init(
            issuer: claims.issuer, subject: claims.subject, audience: claims.audience, expiresAt: claims.expiresAt,
            issuedAt: claims.issuedAt, id: claims.id, clientID: claims.clientID, sessionID: claims.sessionID,
            tenantID: claims.tenantID, role: claims.role, methods: claims.methods,
            authenticatedAt: claims.authenticatedAt)
    }
}
