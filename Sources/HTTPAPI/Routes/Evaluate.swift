import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/registrations/{flow}/evaluations`.
    static let evaluateRegistration = evaluate(.evaluateRegistration, .registration)
    /// `POST /v1/logins/{flow}/evaluations`.
    static let evaluateLogin = evaluate(.evaluateLogin, .login)
    /// `POST /v1/credentials/changes/{flow}/evaluations`.
    static let evaluateChange = evaluate(.evaluateChange, .change)
    /// `POST /v1/recoveries/{flow}/evaluations`.
    static let evaluateRecovery = evaluate(.evaluateRecovery, .recovery)

    private static func evaluate(_ endpoint: Endpoint, _ purpose: FlowPurpose) -> Route {
        Route(endpoint, body: .required) { exchange in
            let request = try exchange.read(EvaluationsRequest.self)
            let evaluations = try await exchange.service.evaluate(
                purpose: purpose, flow: exchange.captures["flow"],
                elements: request.elements.map {
                    ElementInput(slot: Int(clamping: $0.slot), element: $0.element)
                }, app: exchange.app(), call: exchange.call)
            return .json(EvaluationsResponse(evaluations))
        }
    }
}
