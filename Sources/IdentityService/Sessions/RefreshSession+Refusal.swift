extension RefreshSession {
    /// What a token without a session is refused with: what the same call was refused with when it ended the session, and
    /// otherwise `error`. Nothing is written for whoever has no session.
    static func refusal(
        _ error: any Error, of refreshToken: String, _ call: Call, _ context: ServiceContext
    ) async throws -> any Error {
        guard let token = SessionToken(refreshToken) else { return error }
        return try await IdempotentCall(context: context).refusal(of: call, scope: token.scope) ?? error
    }
}
