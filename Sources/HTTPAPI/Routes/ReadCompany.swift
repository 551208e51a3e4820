import IdentityService
import TenureAPI

extension Route {
    /// `GET /v1/companies/{companyName}`.
    static let readCompany = Route(.readCompany) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let view = try await exchange.service.company(
            exchange.company, caller: exchange.caller(), waitFor: exchange.headers.waitFor())
        return .json(CompanyResponse(view), position: view.position)
    }
}
