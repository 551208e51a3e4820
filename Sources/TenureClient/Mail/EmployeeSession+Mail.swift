public import TenureAPI

extension EmployeeSession {
    /// Asks for a mail with a link that verifies this employee's address.
    ///
    /// ```swift
    /// switch try await session.verifyEmail() {
    /// case .sent: print("Open the link in the mail.")
    /// case .verified: print("The address is verified.")
    /// }
    /// ```
    ///
    /// - Throws: ``TenureClientError``, for example `mail.unavailable` or `request.rate_limited`.
    public func verifyEmail() async throws -> EmailVerificationResponse.Outcome {
        try await withAuthority { authority in
            try await client.call(.verifyMyEmail, as: authority, EmailVerificationResponse.self).outcome
        }
    }
}

extension TenureClient {
    /// Asks for a mail with a link that verifies the address of the access token's employee.
    ///
    /// - Throws: ``TenureClientError``, for example `mail.unavailable` or `request.rate_limited`.
    public func verifyEmail(accessToken: String) async throws -> EmailVerificationResponse.Outcome {
        try await call(
            .verifyMyEmail, as: .employee(accessToken: accessToken), EmailVerificationResponse.self
        ).outcome
    }
}
