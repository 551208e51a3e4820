import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/companies/{companyName}/reclaimed-emails`.
    static let reclaimEmail = Route(.reclaimEmail, body: .required) { exchange in
        let request = try exchange.read(EmailReclaimRequest.self)
        return .decision(
            try await exchange.service.reclaimEmail(
                request.email, reason: request.reason, company: exchange.company, caller: exchange.caller(),
                call: exchange.call))
    }
}
