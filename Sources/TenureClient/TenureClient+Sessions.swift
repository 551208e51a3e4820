public import TenureAPI

extension TenureClient {
    /// Exchanges a refresh token for new tokens.
    ///
    /// It is sent once: a token that is used twice ends the session, so a lost answer means logging in again.
    public func refreshSession(refreshToken: String) async throws -> SessionResponse {
        try await call(
            .refreshSession, body: SessionRefreshRequest(refreshToken: refreshToken), as: .nobody)
    }

    /// Ends the session of an access token.
    public func closeSession(accessToken: String) async throws {
        try await send(.closeSession, as: .employee(accessToken: accessToken))
    }

    /// The open sessions of the employee whose access token this is.
    public func sessions(accessToken: String) async throws -> [OpenSessionResponse] {
        try await call(
            .listSessions, as: .employee(accessToken: accessToken), PageResponse<OpenSessionResponse>.self
        ).items
    }
}
