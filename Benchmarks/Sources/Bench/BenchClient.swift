import Canonical
import Crypto
import Foundation
import IdentityService
import TenureAPI
import TenureServer

/// A client of the OpenID provider, and the browsers that it sends there.
struct BenchClient: Sendable {
    /// The app registered as a client that takes people of any tenant that links it.
    static let entry = ClientEntry(redirects: [redirect], tenants: nil)
    private static let redirect = "https://app.example/callback"
    /// What only the client knows of its requests (RFC 7636).
    private static let verifier = String(repeating: "v", count: 43)
    private static let challenge = Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8))))

    let session: BenchSession
    let secret: OperatorUseCases.IssuedSecret

    private var id: String { secret.appId.uuidString.lowercased() }

    /// The cookie of a browser in which somebody has just logged in.
    func cookie(of person: BenchPerson) async throws -> String { try await session.enter(person) }

    /// Sends a browser to the authorization endpoint.
    func authorize(cookie: String?) async throws -> AuthorizationAnswer {
        let parameters: [(name: String, value: String)] = [
            ("client_id", id), ("redirect_uri", Self.redirect), ("response_type", "code"),
            ("scope", "openid profile email"), ("state", "state"), ("nonce", "nonce"),
            ("code_challenge", Self.challenge), ("code_challenge_method", "S256"),
        ]
        let asked = try await session.service.run(Authorize(parameters, cookie: cookie), session.call)
        guard case .now(let answer) = asked else { throw BenchError("the browser was told to ask again") }
        return answer
    }

    /// Greets somebody who is logged in: a code, the tokens for it, and what userinfo says.
    func greet(cookie: String) async throws {
        guard case .redirect(let answer) = try await authorize(cookie: cookie),
            let code = URLComponents(string: answer.url)?.queryItems?.first(where: { $0.name == "code" })?.value
        else { throw BenchError("the client got no code") }
        let service = session.service
        let authentication = AuthenticateClient(clientID: id, secret: secret.secret)
        guard let client = try await service.run(authentication, session.call) else {
            throw BenchError("the client is unknown")
        }
        let redemption = RedeemCode(client: client, code: code, redirect: Self.redirect, verifier: Self.verifier)
        guard case .issued(let tokens) = try await service.run(redemption, session.call) else {
            throw BenchError("the client got no tokens")
        }
        guard try await service.run(ReadUserInfo(accessToken: tokens.accessToken), session.call) != nil else {
            throw BenchError("the client learned nothing about the person")
        }
    }

    /// The path of the log-in page of a new request, by a browser in which nobody is logged in, and the cookie of its
    /// flow.
    func logInPage() async throws -> (path: String, cookie: String) {
        guard case .ask(let page, let handle, let client) = try await authorize(cookie: nil) else {
            throw BenchError("nobody is asked to log in")
        }
        let flow = "flow-of-the-benchmark-"
        return ("\(page.rawValue)/\(flow)", "__Host-tenure-flow-\(flow)=1.request..\(handle).\(client.lowercased)")
    }
}
