import IdentityService
import TenureAPI

extension Route {
    /// `POST …/keys/{fingerprint}/authorization`.
    static let authorizeKey = decideKey(.authorizeKey, .authorize, body: .optional)
    /// `POST …/keys/{fingerprint}/refusal`.
    static let refuseKey = decideKey(.refuseKey, .refuse, body: .required)
    /// `POST …/keys/{fingerprint}/revocation`.
    static let revokeKey = decideKey(.revokeKey, .revoke, body: .required)

    private static func decideKey(
        _ endpoint: Endpoint, _ action: KeyDecisionInput.Action, body: Body
    ) -> Route {
        Route(endpoint, body: body) { exchange in
            let document = try exchange.document()
            let request =
                action == .authorize
                ? try DecisionRequest(json: document) : try DecisionRequest(jsonWithReason: document)
            let input = KeyDecisionInput(
                action: action, company: exchange.company, companyEmployeeId: exchange.captures["companyEmployeeId"],
                fingerprint: exchange.captures["fingerprint"], reason: request.reason,
                signed: request.signed.map { SignedStatement($0) })
            return .decision(
                try await exchange.service.decideKey(input, caller: exchange.caller(), call: exchange.call))
        }
    }
}
