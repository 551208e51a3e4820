import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/logins`.
    static let startLogin = Route(.startLogin, body: .required) { exchange in
        let request = try exchange.read(LoginRequest.self)
        let started = try await exchange.service.startLogin(
            LoginInput(
                companyName: request.companyName, companyEmployeeId: request.companyEmployeeId,
                employeePublicKey: request.employeePublicKey),
            app: exchange.app(), call: exchange.call)
        return .json(FlowStartedResponse(started), status: 201)
    }
}
