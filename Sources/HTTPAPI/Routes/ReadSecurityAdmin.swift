import IdentityService
import TenureAPI

extension Route {
    /// `GET /v1/companies/{companyName}/security-admin`.
    static let readSecurityAdmin = Route(.readSecurityAdmin) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        return .json(
            SecurityAdminResponse(
                try await exchange.service.securityAdmin(
                    of: exchange.company, caller: exchange.caller(), waitFor: exchange.headers.waitFor())))
    }
}
