public import TenureAPI

/// An open session of an employee on this device. It refreshes its tokens automatically.
///
/// ```swift
/// guard let session = try await client.session(companyName: "acme.example", companyEmployeeId: "1001") else {
///     return try await logIn()
/// }
/// let me = try await session.me()
/// ```
public struct EmployeeSession: Sendable {
    let client: TenureClient
    /// The account of the session.
    public let account: AccountName

    /// Returns an access token that has not expired. Concurrent callers share one refresh.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/notLoggedIn`` if the session has ended, or the
    ///   error of the refresh.
    public func accessToken() async throws -> String { try await accessToken(refused: nil) }

    /// Runs a call with this session's authority. If the service reports `session.expired`, refreshes the token and
    /// runs the call once more. It does so too if another process has refreshed the session in the meantime.
    ///
    /// - Throws: The error of the call, or as ``accessToken()``.
    public func withAuthority<Result: Sendable>(
        _ call: (TenureClient.Authority) async throws -> Result
    ) async throws -> Result {
        let token = try await accessToken(refused: nil)
        do {
            return try await call(.employee(accessToken: token))
        } catch let error as TenureClientError where error.kind == .sessionExpired {
            return try await call(.employee(accessToken: try await accessToken(refused: token)))
        } catch let error as TenureClientError where error.kind == .sessionInvalid {
            // A refresh ends the token before it.
            guard let other = try await client.sessions.keeper(of: account).replacement(of: token) else { throw error }
            return try await call(.employee(accessToken: other))
        }
    }

    /// Reads this employee's ids, names, role, session and app, and the notices that the person must see.
    ///
    /// ```swift
    /// let me = try await session.me()
    /// print("\(me.companyEmployeeId ?? "") at \(me.companyName), \(me.role)")
    /// ```
    ///
    /// - Throws: ``TenureClientError``, for example with ``TenureClientError/Code/notLoggedIn``.
    public func me() async throws -> MeResponse {
        try await withAuthority { authority in try await client.call(.readMe, as: authority) }
    }

    /// Ends every session of this employee on all devices and removes this one's tokens. The device keys stay.
    ///
    /// - Throws: ``TenureClientError``, for example with ``TenureClientError/Code/notLoggedIn``.
    public func endAllSessions() async throws {
        try await withAuthority { authority in
            _ = try await client.send(.endSessions, as: authority)
        }
        try await client.sessions.keeper(of: account).end()
    }

    /// Lists this employee's open sessions on all devices.
    ///
    /// - Throws: ``TenureClientError``, for example with ``TenureClientError/Code/notLoggedIn``.
    public func openSessions() async throws -> [OpenSessionResponse] {
        try await withAuthority { authority in
            try await client.call(.listSessions, as: authority, PageResponse<OpenSessionResponse>.self).items
        }
    }

    /// Ends the session at the service and removes its tokens from this device. The device key stays.
    ///
    /// - Throws: ``TenureClientError``. A session that has already ended is not an error.
    public func logOut() async throws {
        do {
            try await withAuthority { authority in
                _ = try await client.send(.closeSession, as: authority)
            }
        } catch {
            // A session that the service does not know has already ended.
            guard let refusal = error as? TenureClientError,
                refusal.kind == .sessionInvalid || refusal.kind == .notLoggedIn
            else { throw error }
        }
        try await client.sessions.keeper(of: account).end()
    }

    private func accessToken(refused: String?) async throws -> String {
        let client = client
        return try await client.sessions.keeper(of: account).accessToken(refused: refused) { refreshToken, key in
            SessionTokens(try await client.refreshSession(refreshToken: refreshToken, idempotencyKey: key))
        }
    }
}

extension TenureClient {
    /// Exchanges a refresh token for new tokens.
    ///
    /// The call is retried under its idempotency key. A caller who keeps the key beside the token can repeat the call
    /// for a day after a lost response, and gets the same tokens. Under another key, a second use of the token ends the
    /// session; only within ten seconds it gets the same tokens, because the call presents the app's secret.
    ///
    /// - Parameter idempotencyKey: At least 16 unpredictable bytes as text; `nil` for a new key.
    /// - Throws: ``TenureClientError``, for example `session.invalid`.
    public func refreshSession(
        refreshToken: String, idempotencyKey: String? = nil
    ) async throws -> SessionResponse {
        try await call(
            .refreshSession, body: SessionRefreshRequest(refreshToken: refreshToken), as: .app,
            idempotencyKey: idempotencyKey)
    }

    /// Ends the session of an access token.
    ///
    /// - Throws: ``TenureClientError``, for example `session.invalid`.
    public func closeSession(accessToken: String) async throws {
        try await send(.closeSession, as: .employee(accessToken: accessToken))
    }

    /// Ends every session of the access token's employee, on all devices.
    ///
    /// - Throws: ``TenureClientError``, for example `session.invalid`.
    public func endSessions(accessToken: String) async throws {
        try await send(.endSessions, as: .employee(accessToken: accessToken))
    }

    /// Reads ids, names, role, session, app and notices of the access token's employee.
    ///
    /// - Throws: ``TenureClientError``, for example `session.invalid`.
    public func me(accessToken: String) async throws -> MeResponse {
        try await call(.readMe, as: .employee(accessToken: accessToken))
    }

    /// Lists the open sessions of the access token's employee.
    ///
    /// - Throws: ``TenureClientError``, for example `session.invalid`.
    public func sessions(accessToken: String) async throws -> [OpenSessionResponse] {
        try await call(
            .listSessions, as: .employee(accessToken: accessToken), PageResponse<OpenSessionResponse>.self
        ).items
    }
}
