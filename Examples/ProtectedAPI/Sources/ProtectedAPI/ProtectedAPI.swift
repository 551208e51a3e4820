import AccessTokens
import Canonical
import Foundation
import Hummingbird
import TenureTokens

/// Serves one page for callers with an access token:
///
///     ISSUER=http://localhost:8080 AUDIENCE=https://api.example swift run ProtectedAPI
///     curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8081/hello
///
/// `ISSUER` is the URL of Tenure as its tokens name it. `AUDIENCE` is the URI that the operator registered for this back
/// end. `PORT` is 8081 if it is not set.
@main
struct ProtectedAPI {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let issuer = environment["ISSUER"], let audience = environment["AUDIENCE"],
            let port = Int(environment["PORT"] ?? "8081")
        else {
            print("Set ISSUER and AUDIENCE, and PORT to a number or not at all.")
            exit(64)
        }
        let verifier = try TokenVerifier(issuer: issuer, audience: audience)
        let router = Router(context: ProtectedContext.self)
        router.add(middleware: AccessTokenMiddleware(verifier: verifier))
        router.get("hello") { _, context in
            let caller = try context.caller()
            return "Hello \(caller.subject.lowercased) of \(caller.tenantID.lowercased) (\(caller.role))\n"
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)))
        try await application.runService()
    }
}
