import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/registrations/{flow}/passphrase`.
    static let validateRegistrationPassphrase = validatePassphrase(.validateRegistrationPassphrase, .registration)
    /// `POST /v1/logins/{flow}/passphrase`.
    static let validateLoginPassphrase = validatePassphrase(.validateLoginPassphrase, .login)

    private static func validatePassphrase(_ endpoint: Endpoint, _ purpose: FlowPurpose) -> Route {
        Route(endpoint, body: .required) { exchange in
            let request = try exchange.read(PassphraseRequest.self)
            return .outcome(
                try await exchange.service.validatePassphrase(
                    purpose: purpose, flow: exchange.captures["flow"], passphrase: request.passphrase,
                    app: exchange.app(), call: exchange.call))
        }
    }
}
