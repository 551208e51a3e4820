import Identity

/// Tells whether a client registered an origin, whose scripts may then call the endpoints of tokens.
package struct IsClientOrigin: UseCase {
    /// The origin, as the browser sent it.
    package let origin: String

    package init(origin: String) { self.origin = origin }

    /// Returns whether it is one of a client's, byte by byte.
    package func run(_ run: UseCaseRun<Bool>) async throws -> Bool {
        guard (try? ClientOrigin(origin)) != nil else { return false }
        return try await run.context.openID.clientOrigins.contains(origin, run.context, at: run.call.time)
    }
}
