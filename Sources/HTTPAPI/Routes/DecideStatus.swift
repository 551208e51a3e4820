import IdentityService
import TenureAPI

extension Route {
    /// `POST …/employees/{companyEmployeeId}/approval`.
    static let approveEmployee = decideStatus(.approveEmployee, .approve)
    /// `POST …/employees/{companyEmployeeId}/cancellation`.
    static let cancelEmployee = decideStatus(.cancelEmployee, .cancel)
    /// `POST …/employees/{companyEmployeeId}/reinstatement`.
    static let reinstateEmployee = decideStatus(.reinstateEmployee, .reinstate)

    private static func decideStatus(_ endpoint: Endpoint, _ action: StatusDecisionInput.Action) -> Route {
        Route(endpoint, body: .optional) { exchange in
            let request = try exchange.read(StatusDecisionRequest.self)
            let input = StatusDecisionInput(
                action: action, company: exchange.company, companyEmployeeId: exchange.captures["companyEmployeeId"],
                note: request.note)
            return .decision(
                try await exchange.service.decideStatus(input, caller: exchange.caller(), call: exchange.call))
        }
    }
}
