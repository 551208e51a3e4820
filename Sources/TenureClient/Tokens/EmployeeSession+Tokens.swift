public import TenureAPI

extension EmployeeSession {
    /// Gets an access token for one of the app's resources (RFC 8707), to send to the back end behind it.
    ///
    /// A token lives for minutes; get another one when it has expired. The service itself accepts no such token, so a
    /// back end that receives it cannot act for the employee at the service.
    ///
    /// ```swift
    /// let token = try await session.resourceToken(for: "https://payroll.example/api")
    /// request.setValue("Bearer " + token.accessToken, forHTTPHeaderField: "Authorization")
    /// ```
    ///
    /// - Parameter resource: The URI of the resource, as the operator registered it.
    /// - Throws: ``TenureClientError``, for example `token.resource_unknown`.
    public func resourceToken(for resource: String) async throws -> ResourceTokenResponse {
        try await withAuthority { authority in
            try await client.call(
                .issueResourceToken, body: ResourceTokenRequest(resource: resource), as: authority)
        }
    }
}

extension TenureClient {
    /// Gets an access token for one of the app's resources with the access token of a session.
    ///
    /// - Throws: ``TenureClientError``, for example `token.resource_unknown`.
    public func resourceToken(for resource: String, accessToken: String) async throws -> ResourceTokenResponse {
        try await call(
            .issueResourceToken, body: ResourceTokenRequest(resource: resource),
            as: .employee(accessToken: accessToken))
    }

    /// Asks whether an access token is in force, for the back end of an app (RFC 7662).
    ///
    /// Unlike a check of the signature, this notices at once that a session has ended. Requires a secret with ACCESS.
    ///
    /// ```swift
    /// guard let claims = try await client.introspect(token) else { throw HTTPError(.unauthorized) }
    /// print("\(claims.subject) of \(claims.tenantID), \(claims.role)")
    /// ```
    ///
    /// - Returns: The claims, or `nil` if the token is not in force or not for this app or its resources.
    /// - Throws: ``TenureClientError``, for example `app.role_missing`.
    public func introspect(_ token: String) async throws -> TokenIntrospectionResponse.Claims? {
        // Such texts cannot be sent, and are no tokens.
        guard !token.isEmpty, !token.utf8.contains(0) else { return nil }
        let response = try await send(.introspectToken, form: TokenFormRequest(token: token))
        do {
            switch try TokenIntrospectionResponse(bytes: response.body) {
            case .active(let claims): return claims
            case .inactive: return nil
            }
        } catch { throw TenureClientError(.responseInvalid) }
    }

    /// Ends the session of an access token or a refresh token, for the back end of the app that opened it (RFC 7009).
    ///
    /// Succeeds for every other token, too, and changes nothing then. Requires a secret with ACCESS.
    ///
    /// - Throws: ``TenureClientError``, for example `app.role_missing`.
    public func revoke(_ token: String) async throws {
        try await send(.revokeToken, form: TokenFormRequest(token: token))
    }
}
