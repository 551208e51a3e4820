import IdentityService
import TenureAPI

extension Route {
    /// `DELETE /v1/sessions/current`.
    static let closeSession = Route(.closeSession) { exchange in
        try await exchange.service.closeSession(exchange.employee(), call: exchange.call)
        return .noContent
    }
}
