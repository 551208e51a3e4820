import Canonical
import EventCoding
package import FoundationEssentials
import Identity

/// A client of the OpenID provider that a request comes from.
package struct AuthenticatedClient: Sendable, Equatable {
    package let id: UUID
    /// The secret that it presented; `nil` for a public client.
    package let secretID: UUID?

    init(id: UUID, secretID: UUID?) {
        self.id = id
        self.secretID = secretID
    }

    package init(_ app: AppCaller) { self.init(id: app.appId, secretID: app.secretId) }
}

/// Finds out which client a request to the endpoints of tokens comes from (RFC 6749, section 2.3).
package struct AuthenticateClient: UseCase, Redacted {
    package let clientID: String
    /// The secret that the client presented; `nil` for none.
    package let secret: String?

    package init(clientID: String, secret: String?) {
        self.clientID = clientID
        self.secret = secret
    }

    /// Returns the client; `nil` if it is unknown, or presents no secret in force although it is not public.
    package func run(_ run: UseCaseRun<AuthenticatedClient?>) async throws -> AuthenticatedClient? {
        guard let id = AppID(text: clientID) else { return RequestNotes.nothing(.clientMalformed) }
        let app = try await run.context.client(id)
        guard let registration = app.state.client else { return RequestNotes.nothing(.clientUnknown) }
        guard let secret else {
            guard registration.isPublic else { return RequestNotes.nothing(.secretMissing) }
            return AuthenticatedClient(id: id.uuid, secretID: nil)
        }
        guard let digest = Bytes32(AppSecretDigest.digest(of: secret)), let known = app.state.secret(digest: digest)
        else {
            let isKnown = app.state.secrets.values.contains { $0.digest.bytes == AppSecretDigest.digest(of: secret) }
            return RequestNotes.nothing(isKnown ? .secretNotInForce : .secretWrong)
        }
        guard known.roles.contains(.access) else { return RequestNotes.nothing(.secretWithoutAccess) }
        return AuthenticatedClient(id: id.uuid, secretID: known.id.uuid)
    }
}
