package import Canonical
import EventCoding
import FoundationEssentials
import Identity

/// Tells a client whether an access token of one of its grants is in force (RFC 7662).
package struct IntrospectGrantToken: UseCase, Redacted {
    package let app: AppCaller
    package let token: String

    package init(app: AppCaller, token: String) {
        self.app = app
        self.token = token
    }

    /// Returns the members of the response; `nil` for a token that is not in force, or of another client.
    package func run(_ run: UseCaseRun<JSONValue?>) async throws -> JSONValue? {
        let context = run.context
        guard GrantAccessToken(token, context.ring) != nil else { return nil }
        guard let (row, log) = try await context.grant(of: token, at: run.call.time) else { return nil }
        guard row.client == app.appId else { return RequestNotes.nothing(.clientDiffers) }
        let issued = row.refreshedAt.wholeSeconds
        return [
            "active": true, "token_type": "Bearer", "iss": .string(context.settings.tokenIssuer),
            "sub": .uuid(row.employee), "client_id": .uuid(row.client), "aud": .uuid(row.client),
            "scope": .string(row.scopes.text), "sid": .uuid(row.openedIn), "tenant": .uuid(log.tenant.id.uuid),
            "iat": .integer(issued), "exp": .integer(row.accessEnd.wholeSeconds),
            "auth_time": .integer(row.authenticatedAt.wholeSeconds),
            "amr": .array(AuthenticationMethods(text: row.methods).values.map(JSONValue.string)),
        ]
    }
}

/// Ends the grant of a token at the request of its client (RFC 7009).
package struct RevokeGrantToken: UseCase, Redacted {
    package let client: AuthenticatedClient
    /// An access token or a refresh token.
    package let token: String

    package init(client: AuthenticatedClient, token: String) {
        self.client = client
        self.token = token
    }

    /// Ends the grant. Does nothing for a token of another client. An older token of the grant ends it too.
    ///
    /// - Returns: Whether the token is one of a grant.
    package func run(_ run: UseCaseRun<Bool>) async throws -> Bool {
        let context = run.context
        let refresh = GrantRefreshToken(token, context.ring), access = GrantAccessToken(token, context.ring)
        guard let grant = refresh?.id ?? access?.id, let tenant = refresh?.tenant ?? access?.tenant else {
            return false
        }
        let row = try await GrantRow.find(grant.uuid, of: tenant.uuid, context, at: run.call.time)
        if let row, row.client == client.id {
            try await EndGrant(context: context).run(row.id, in: TenantID(row.tenant), .tokenRevoked, run.call)
        }
        return true
    }
}
