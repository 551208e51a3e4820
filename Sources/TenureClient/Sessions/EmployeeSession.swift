public import TenureAPI

/// An open session of an employee on this device. It renews its tokens by itself.
public struct EmployeeSession: Sendable {
    let client: TenureClient
    /// Whose session it is.
    public let account: AccountName

    /// An access token that has not ended. Many callers at once cause one refresh.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/notLoggedIn`` when the session is gone, or what the
    ///   refresh met.
    public func accessToken() async throws -> String { try await accessToken(refused: nil) }

    /// Calls with this session's authority; once more with new tokens when the service calls the first ones expired.
    public func withAuthority<Result: Sendable>(
        _ call: (TenureClient.Authority) async throws -> Result
    ) async throws -> Result {
        let token = try await accessToken(refused: nil)
        do {
            return try await call(.employee(accessToken: token))
        } catch {
            guard let refusal = error as? TenureClientError, refusal.kind == .sessionExpired else { throw error }
        }
        return try await call(.employee(accessToken: try await accessToken(refused: token)))
    }

    /// The open sessions of this employee, on other devices too.
    public func openSessions() async throws -> [OpenSessionResponse] {
        try await withAuthority { authority in
            try await client.call(.listSessions, as: authority, PageResponse<OpenSessionResponse>.self).items
        }
    }

    /// Ends the session at the service and forgets it here. The device's key stays.
    public func logOut() async throws {
        do {
            try await withAuthority { authority in
                _ = try await client.send(.closeSession, as: authority)
            }
        } catch {
            // A session that the service knows no more has ended already.
            guard let refusal = error as? TenureClientError,
                refusal.kind == .sessionInvalid || refusal.kind == .notLoggedIn
            else { throw error }
        }
        try await client.sessions.keeper(of: account).end()
    }

    private func accessToken(refused: String?) async throws -> String {
        let client = client
        return try await client.sessions.keeper(of: account).accessToken(refused: refused) { refreshToken in
            SessionTokens(try await client.refreshSession(refreshToken: refreshToken))
        }
    }
}
