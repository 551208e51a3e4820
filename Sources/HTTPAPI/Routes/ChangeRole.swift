import IdentityService
import TenureAPI

extension Route {
    /// `POST …/employees/{companyEmployeeId}/role`.
    static let changeRole = Route(.changeRole, body: .required) { exchange in
        let request = try exchange.read(RoleRequest.self)
        let role: RoleInput.Role =
            switch request.role {
            case .admin: .admin
            case .securityAdmin: .securityAdmin
            case .employee: .employee
            }
        let input = RoleInput(
            role: role, company: exchange.company, companyEmployeeId: exchange.captures["companyEmployeeId"])
        return .decision(
            try await exchange.service.changeRole(
                input, signed: request.signed.map { SignedStatement($0) }, caller: exchange.caller(),
                call: exchange.call))
    }
}
