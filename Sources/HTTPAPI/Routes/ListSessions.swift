import IdentityService
import TenureAPI

extension Route {
    /// `GET /v1/sessions`.
    static let listSessions = Route(.listSessions) { exchange in
        try QueryReader(exchange.rawQuery).finish()
        let sessions = try await exchange.service.sessions(of: exchange.employee())
        return .json(PageResponse(items: sessions.map(OpenSessionResponse.init)))
    }
}
