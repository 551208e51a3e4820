import AccessTokens
import Canonical
import Foundation
import Synchronization
import Testing

@testable import TenureTokens

/// An issuer in memory that counts what is fetched from it, and the clock of everybody.
final class PublishedIssuer: Sendable {
    struct Away: Error {}

    struct State {
        var now: Int64 = 1_800_000_000
        var keys: [TokenSigningKey] = [TokenSigningKey()]
        var cacheControl = "public, max-age=300"
        var isAway = false
        var documents: [String: IssuerDocument] = [:]
        var fetched: [String] = []
    }

    static let audience = "https://api.example"

    let issuer: String
    let metadata: String
    let jwks: String
    private let state = Mutex(State())

    init(issuer: String = "https://id.example", metadata: String? = nil) {
        self.issuer = issuer
        self.metadata = metadata ?? issuer + "/.well-known/oauth-authorization-server"
        jwks = issuer + "/keys/jwks.json"
    }

    func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    func advance(_ seconds: Int64) { change { $0.now += seconds } }

    /// The URLs that were fetched since the last call.
    func fetched() -> [String] {
        state.withLock { state in
            defer { state.fetched = [] }
            return state.fetched
        }
    }

    /// Answers the metadata with some members changed or, with nil, removed.
    func publish(_ changes: [String: JSONValue?]) {
        var members: [String: JSONValue] = ["issuer": .string(issuer), "jwks_uri": .string(jwks)]
        for (name, value) in changes { members[name] = value }
        let document = IssuerDocument(body: JSONValue.object(members).canonicalBytes())
        change { $0.documents[metadata] = document }
    }

    func verifier(
        audience: String = PublishedIssuer.audience, before: @escaping @Sendable () async -> Void = {}
    ) throws -> TokenVerifier {
        try TokenVerifier(
            issuer: issuer, audience: audience,
            fetch: { url in
                await before()
                return try self.answer(url)
            }, seconds: { self.state.withLock { $0.now } }, uptime: { self.state.withLock { $0.now - 1_000 } })
    }

    private func answer(_ url: String) throws -> IssuerDocument {
        try state.withLock { state in
            state.fetched.append(url)
            if state.isAway { throw Away() }
            if let document = state.documents[url] { return document }
            switch url {
            case metadata:
                let json: JSONValue = ["issuer": .string(issuer), "jwks_uri": .string(jwks), "x": []]
                return IssuerDocument(body: json.canonicalBytes())
            case jwks:
                let keys = TokenKeySet(keys: state.keys.map(\.publicKey))
                return IssuerDocument(cacheControl: state.cacheControl, body: keys.json.canonicalBytes())
            default: return IssuerDocument(status: 404, body: [])
            }
        }
    }

    /// A token of the issuer's last key, or of another one, that ends in five minutes.
    func token(
        by key: TokenSigningKey? = nil, issuer: String? = nil, audience: String = PublishedIssuer.audience
    ) throws -> String {
        let (now, last) = state.withLock { ($0.now, $0.keys.last) }
        let claims = AccessTokenClaims(
            issuer: issuer ?? self.issuer, subject: UUID.random(), audience: audience, expiresAt: now + 300,
            issuedAt: now, id: UUID.random(), clientID: UUID.random(), sessionID: UUID.random(),
            tenantID: UUID.random(), role: "employee", methods: ["pop"], authenticatedAt: now)
        return try (key ?? #require(last)).sign(claims)
    }
}

extension TokenVerifier {
    /// The reason why a token is refused, or nil if it is accepted.
    func reason(_ token: String) async -> BearerRefusal.Reason? {
        do {
            _ = try await verify(token)
            return nil
        } catch {
            return error.reason
        }
    }

    /// The code with which the issuer's keys cannot be had, or nil.
    func unavailable(_ token: String) async -> TokenIssuerError.Code? {
        guard case .unavailable(let error) = await reason(token) else { return nil }
        return error.code
    }

    /// The code with which the token itself is refused, or nil.
    func invalid(_ token: String) async -> AccessTokenError.Code? {
        guard case .invalid(let error) = await reason(token) else { return nil }
        return error.code
    }
}
