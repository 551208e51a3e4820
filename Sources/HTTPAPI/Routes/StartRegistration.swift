import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/registrations`.
    static let startRegistration = Route(.startRegistration, body: .required) { exchange in
        let request = try exchange.read(RegistrationRequest.self)
        let started = try await exchange.service.startRegistration(
            RegistrationInput(
                companyName: request.companyName, companyEmployeeId: request.companyEmployeeId, email: request.email,
                isCompanyOwnedEmail: request.isCompanyOwnedEmail, employeePublicKey: request.employeePublicKey),
            app: exchange.app(), call: exchange.call)
        return .json(FlowStartedResponse(started), status: 201)
    }
}
