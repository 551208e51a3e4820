import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/sessions/refresh`; the token itself is the proof.
    static let refreshSession = Route(.refreshSession, body: .required) { exchange in
        let request = try exchange.read(SessionRefreshRequest.self)
        return .json(
            SessionResponse(
                try await exchange.service.refreshSession(refreshToken: request.refreshToken, call: exchange.call)))
    }
}
