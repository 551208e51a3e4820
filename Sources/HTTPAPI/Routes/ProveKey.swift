import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/registrations/{flow}/key`.
    static let proveRegistrationKey = proveKey(.proveRegistrationKey, .registration)
    /// `POST /v1/logins/{flow}/key`.
    static let proveLoginKey = proveKey(.proveLoginKey, .login)
    /// `POST /v1/credentials/changes/{flow}/key`.
    static let proveChangeKey = proveKey(.proveChangeKey, .change)
    /// `POST /v1/recoveries/{flow}/key`.
    static let proveRecoveryKey = proveKey(.proveRecoveryKey, .recovery)

    private static func proveKey(_ endpoint: Endpoint, _ purpose: FlowPurpose) -> Route {
        Route(endpoint, body: .required) { exchange in
            let request = try exchange.read(KeyProofRequest.self)
            return .outcome(
                try await exchange.service.proveKey(
                    purpose: purpose, flow: exchange.captures["flow"], proof: request.keyProof, app: exchange.app(),
                    call: exchange.call))
        }
    }
}
