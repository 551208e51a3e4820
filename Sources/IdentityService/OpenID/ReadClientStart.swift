import EventCoding
package import FoundationEssentials
import Identity

/// Reads where a client begins, for people who came from it and cannot go on.
package struct ReadClientStart: UseCase {
    /// The client's id.
    package let client: UUID

    /// What a page shows of the client.
    package struct Start: Sendable, Equatable {
        /// The client's name, as the operator gave it.
        package let name: String
        /// The origin of the client's first redirect URI; `nil` if that one has the scheme of an app.
        package let origin: String?

        package init(name: String, origin: String?) {
            self.name = name
            self.origin = origin
        }
    }

    package init(client: UUID) { self.client = client }

    /// Returns name and origin; `nil` if there is no such client.
    package func run(_ run: UseCaseRun<Start?>) async throws -> Start? {
        let app = try await run.context.client(AppID(client))
        guard let registration = app.state.client, let name = app.state.name else { return nil }
        return Start(name: name, origin: registration.redirects.first?.webOrigin)
    }
}
