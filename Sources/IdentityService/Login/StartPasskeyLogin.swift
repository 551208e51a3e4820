import ErrorCodes
import FoundationEssentials
import Identity
package import TenureAPI

/// Gives an app what a passkey is asked with at a log-in. The challenge is for this app only, which binds it to its
/// browser.
package struct StartPasskeyLogin: UseCase {
    package let app: AppCaller

    package init(app: AppCaller) { self.app = app }

    package func authorize() throws(ServiceError) { try app.require(.login) }

    /// - Throws: `route.unknown` if the service takes no passkeys.
    package func run(_ run: UseCaseRun<PasskeyOptionsResponse>) async throws -> PasskeyOptionsResponse {
        guard let rules = try await run.context.passkeyRules() else { throw ServiceError(.routeUnknown) }
        return try run.context.passkeyOptions(
            of: rules.rpID, visitor: Self.visitor, app: app.appId, at: run.call.time)
    }

    /// What stands for the browser in a challenge of an app.
    fileprivate static let visitor = "app"
}

extension LogInByPasskey {
    /// A log-in that an app sends.
    package init(_ request: PasskeyLoginRequest, app: AppCaller) {
        let answer = request.answer
        self.init(
            Proof(
                credential: answer.credentialId, user: answer.userHandle ?? [], challenge: request.challenge,
                evidence: answer.evidence),
            visitor: StartPasskeyLogin.visitor, app: app)
    }
}
