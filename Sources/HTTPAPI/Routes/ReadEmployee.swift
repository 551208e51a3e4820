import IdentityService
import TenureAPI

extension Route {
    /// `GET /v1/companies/{companyName}/employees/{companyEmployeeId}`.
    static let readEmployee = Route(.readEmployee) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        return .json(
            EmployeeResponse(
                try await exchange.service.employee(
                    exchange.captures["companyEmployeeId"], of: exchange.company, caller: exchange.caller(),
                    waitFor: exchange.headers.waitFor())))
    }
}
