import AccessTokens
import Hummingbird
import TenureTokens

/// The context of a request. Behind the middleware it has the claims of the caller's access token.
struct ProtectedContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var claims: AccessTokenClaims?

    init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }

    /// The claims, for handlers behind the middleware.
    ///
    /// - Throws: `HTTPError` with 401 if the route is not behind the middleware, so that a mistake lets nobody in.
    func caller() throws -> AccessTokenClaims {
        guard let claims else { throw HTTPError(.unauthorized) }
        return claims
    }
}

/// Lets requests with a good access token pass, and answers the others as RFC 6750 says.
struct AccessTokenMiddleware: RouterMiddleware {
    typealias Context = ProtectedContext

    let verifier: TokenVerifier

    func handle(
        _ request: Request, context: ProtectedContext,
        next: (Request, ProtectedContext) async throws -> Response
    ) async throws -> Response {
        let claims: AccessTokenClaims
        do {
            claims = try await verifier.verify(authorization: request.headers[.authorization])
        } catch {
            return refuse(error, context)
        }
        var context = context
        context.claims = claims
        return try await next(request, context)
    }

    private func refuse(_ refusal: BearerRefusal, _ context: ProtectedContext) -> Response {
        var response = Response(status: HTTPResponse.Status(code: refusal.status))
        if let challenge = refusal.challenge {
            response.headers[.wwwAuthenticate] = challenge
        } else {
            // The issuer is away. That is for this service's log, not for the caller.
            context.logger.error("Access tokens cannot be verified: \(refusal)")
            response.headers[.retryAfter] = "10"
        }
        return response
    }
}
