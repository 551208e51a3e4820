import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/registrations/{flow}/proof`.
    static let proveRegistration = prove(.proveRegistration, .registration)
    /// `POST /v1/logins/{flow}/proof`.
    static let proveLogin = prove(.proveLogin, .login)
    /// `POST /v1/credentials/changes/{flow}/proof`.
    static let proveChange = prove(.proveChange, .change)
    /// `POST /v1/recoveries/{flow}/proof`.
    static let proveRecovery = prove(.proveRecovery, .recovery)

    private static func prove(_ endpoint: Endpoint, _ purpose: FlowPurpose) -> Route {
        Route(endpoint, body: .required) { exchange in
            let request = try exchange.read(ProofRequest.self)
            let credentials = request.credentials.map { credentials in
                ProofInput.Credentials(
                    record: credentials.record, questions: credentials.questions.map { ($0.question, $0.salt) })
            }
            return .outcome(
                try await exchange.service.prove(
                    purpose: purpose, flow: exchange.captures["flow"],
                    proof: ProofInput(userSignature: request.userSignature, credentials: credentials),
                    app: exchange.app(), call: exchange.call))
        }
    }
}
