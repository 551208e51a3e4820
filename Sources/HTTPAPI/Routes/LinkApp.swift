import IdentityService
import TenureAPI

extension Route {
    /// `PUT /v1/companies/{companyName}/apps/{appId}`.
    static let linkApp = linking(.linkApp, linked: true)
    /// `DELETE /v1/companies/{companyName}/apps/{appId}`.
    static let unlinkApp = linking(.unlinkApp, linked: false)

    private static func linking(_ endpoint: Endpoint, linked: Bool) -> Route {
        Route(endpoint, body: .optional) { exchange in
            let request = try exchange.read(DecisionRequest.self)
            return .decision(
                try await exchange.service.linkApp(
                    exchange.captures["appId"], to: exchange.company, linked: linked,
                    signed: request.signed.map { SignedStatement($0) }, caller: exchange.caller(),
                    call: exchange.call))
        }
    }
}
