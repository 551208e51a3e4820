package import AccessTokens
package import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Returns the issuer of access tokens: the public address of the service, without a trailing slash.
package struct ReadTokenIssuer: UseCase {
    /// Takes nothing: the issuer is the same for everybody.
    package init() {}

    package func run(_ run: UseCaseRun<String>) async throws -> String { run.context.settings.tokenIssuer }
}

/// Returns the public keys that verify access tokens and ID tokens (RFC 7517).
package struct ReadTokenKeys: UseCase {
    /// Takes nothing: the keys are the same for everybody.
    package init() {}

    /// Returns the JWK set; during a rotation there are two keys for each use.
    package func run(_ run: UseCaseRun<JSONValue>) async throws -> JSONValue {
        let context = run.context, time = run.call.time
        let access = try await context.sessions.tokenKeys.published(at: time).keys.map(\.json)
        return ["keys": .array(access + (try await context.sessions.idTokenKeys.published(at: time)))]
    }
}

/// Tells an app whether an access token is in force (RFC 7662).
///
/// An app learns only about tokens for itself or one of its resources, in tenants that it is linked to.
package struct IntrospectToken: UseCase, Redacted {
    package let app: AppCaller
    package let token: String

    package init(app: AppCaller, token: String) {
        self.app = app
        self.token = token
    }

    /// Returns what the token says, or `nil` if it is not in force or not for this app.
    ///
    /// - Throws: `app.role_missing` if the secret lacks the role ACCESS.
    package func run(_ run: UseCaseRun<AccessTokenClaims?>) async throws -> AccessTokenClaims? {
        let context = run.context, time = run.call.time
        try app.require(.login)
        guard let form = UnverifiedAccessToken(token) else { return nil }
        let loader = StateLoader(reader: context.reader)
        let resources = try await loader.app(AppID(app.appId)).state.resources
        let verifier = AccessTokenVerifier(
            issuer: context.settings.tokenIssuer, audiences: resources.union([app.appId.lowercased]))
        let keys = try await context.sessions.tokenKeys.published(including: form.keyID, at: time)
        guard let claims = try? verifier.verify(token, with: keys, at: time.wholeSeconds) else { return nil }
        let tenant = try await loader.tenant(TenantID(claims.tenantID))
        guard tenant.state.links(AppID(app.appId), as: .access) else {
            context.administration.unlinkedAppCalls.count(app.appId, tenantExists: tenant.exists)
            return nil
        }
        // The app that opened the session must still hold the resource, too.
        let issuedFor = AppID(claims.clientID)
        if issuedFor.uuid != app.appId, claims.audience != issuedFor.uuid.lowercased {
            guard try await loader.app(issuedFor).state.resources.contains(claims.audience) else { return nil }
        }
        return try await isInForce(claims, context, at: time) ? claims : nil
    }

    /// Whether the session goes on and its device key still carries the role that the token names.
    private func isInForce(
        _ claims: AccessTokenClaims, _ context: ServiceContext, at time: Timestamp
    ) async throws -> Bool {
        guard let session = try await context.session(claims.sessionID, of: claims.tenantID),
            session.isInForce, session.row.agrees(with: claims)
        else { return false }
        let row = session.row
        let log = try await SessionInLog.read(
            row.id, of: EmployeeID(row.employee), in: TenantID(row.tenant), app: AppID(claims.clientID), context
        ).log
        let methods = AuthenticationMethods(text: row.methods)
        let role = log.employee.sessionRole(of: row.fingerprint, by: methods, in: log.tenant)
        return log.end(of: row) == nil && time < min(row.refreshEnd, log.longestEnd(of: row))
            && role.rawValue == claims.role
    }
}

/// Ends the session of a token at the request of the app that opened it (RFC 7009).
package struct RevokeToken: UseCase, Redacted {
    package let app: AppCaller
    /// An access token or a refresh token.
    package let token: String

    package init(app: AppCaller, token: String) {
        self.app = app
        self.token = token
    }

    /// Ends the session. Does nothing for a token of another app, or one that is not in force.
    ///
    /// - Throws: `app.role_missing` if the secret lacks the role ACCESS.
    package func run(_ run: UseCaseRun<Void>) async throws {
        let context = run.context
        try app.require(.login)
        guard let (tenant, session) = try await named(context, at: run.call.time) else { return }
        guard
            let found = try await context.session(session, of: tenant), found.row.app == app.appId
        else { return }
        try await EndSession(context: context).run(
            session, in: TenantID(tenant), reason: .tokenRevoked, actor: nil, call: run.call)
    }

    /// The tenant and the session that an authentic token of this app names.
    private func named(_ context: ServiceContext, at time: Timestamp) async throws -> (tenant: UUID, session: UUID)? {
        if let refresh = RefreshToken(token, context.ring) { return (refresh.tenant.uuid, refresh.id.uuid) }
        guard let form = UnverifiedAccessToken(token), form.claims.clientID == app.appId else { return nil }
        let verifier = AccessTokenVerifier(
            issuer: context.settings.tokenIssuer, audiences: [form.claims.audience])
        let keys = try await context.sessions.tokenKeys.published(including: form.keyID, at: time)
        guard let claims = try? verifier.verify(token, with: keys, at: time.wholeSeconds) else { return nil }
        return (claims.tenantID, claims.sessionID)
    }
}
