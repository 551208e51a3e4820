import AccessTokens
import Canonical
import FoundationEssentials
import Identity

/// A session as its access tokens describe it.
struct TokenSubject: Sendable {
    var tenant: UUID
    var session: UUID
    var employee: UUID
    /// The app that opened the session.
    var app: UUID
    /// The role that the session's device key carries.
    var role: EmployeeRole
    var methods: AuthenticationMethods
    /// When the person logged in.
    var loggedIn: Timestamp

    /// Signs a token for one audience.
    ///
    /// - Parameters:
    ///   - audience: The app's id, or one of its resources.
    ///   - end: When the token expires, rounded down to a second.
    func token(
        for audience: String, until end: Timestamp, at time: Timestamp, _ context: ServiceContext
    ) async throws -> String {
        let key = try await context.sessions.tokenKeys.signingKey(at: time)
        let claims = AccessTokenClaims(
            issuer: context.settings.tokenIssuer, subject: employee, audience: audience, expiresAt: end.wholeSeconds,
            issuedAt: time.wholeSeconds, id: UUID.random(), clientID: app, sessionID: session, tenantID: tenant,
            role: role.rawValue, methods: methods.values, authenticatedAt: loggedIn.wholeSeconds)
        return try key.sign(claims)
    }
}

extension Timestamp {
    /// The whole seconds since 1970, rounded down.
    var wholeSeconds: Int64 { Int64((Double(microseconds) / 1_000_000).rounded(.down)) }
}

/// How the person of a session logged in, as values of RFC 8176. A device key is always proved.
struct AuthenticationMethods: Sendable, Equatable {
    /// A device key alone: after a registration or a recovery, where the secrets were chosen and not proved.
    static let device = AuthenticationMethods(values: ["pop"])
    /// A device key and the PIN of an M-Pin identity.
    static let mpin = AuthenticationMethods(values: ["pop", "pin", "mfa"])

    /// The values, in the order of the token's `amr`.
    let values: [String]
    /// The values as the session's row has them, separated by spaces.
    var text: String { values.joined(separator: " ") }

    /// Whether the log-in proved a secret of the person. A synced passkey carries a role only then.
    var secretProved: Bool { values.contains { ["kba", "pwd", "pin"].contains($0) } }

    init(values: [String]) { self.values = values }
    /// Reads the text of a row.
    init(text: String) { values = text.split(separator: " ").map(String.init) }
}

extension AuthenticationMethods {
    /// A passkey alone, as RFC 8176 names it: a key in hardware, or in the software of a sync provider, and a person whom
    /// the authenticator verified.
    static func passkey(isSynced: Bool) -> AuthenticationMethods {
        AuthenticationMethods(values: ["pop", isSynced ? "swk" : "hwk", "user", "mfa"])
    }
}
