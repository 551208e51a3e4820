import Canonical
import Crypto
import Foundation

@testable import AccessTokens

/// One issuer's key, and tokens made by hand from any header and claims.
struct Tokens {
    static let now: Int64 = 1_800_000_000
    static let issuer = "https://id.example/tenure"
    static let audience = "https://api.example"

    let key: TokenSigningKey
    let private256: P256.Signing.PrivateKey
    let claims: AccessTokenClaims

    init() {
        private256 = P256.Signing.PrivateKey()
        key = TokenSigningKey(rawRepresentation: Array(private256.rawRepresentation)) ?? TokenSigningKey()
        claims = AccessTokenClaims(
            issuer: Self.issuer, subject: UUID.random(), audience: Self.audience, expiresAt: Self.now + 300,
            issuedAt: Self.now, id: UUID.random(), clientID: UUID.random(), sessionID: UUID.random(),
            tenantID: UUID.random(), role: "employee", methods: ["pop", "pwd", "mfa"],
            authenticatedAt: Self.now - 60)
    }

    var keys: TokenKeySet { TokenKeySet(keys: [key.publicKey]) }

    var header: [String: JSONValue] { ["alg": "ES256", "kid": .string(key.publicKey.keyID), "typ": "at+jwt"] }

    /// A well-signed token of the good header and claims with some members changed or, with nil, removed.
    func token(
        header: [String: JSONValue?] = [:], claims: [String: JSONValue?] = [:]
    ) throws -> String {
        try token(header: changed(.object(self.header), by: header), claims: changed(self.claims.json, by: claims))
    }

    /// A well-signed token of two texts.
    func token(header: String? = nil, claims: String? = nil) throws -> String {
        let header = header ?? String(decoding: JSONValue.object(self.header).canonicalBytes(), as: UTF8.self)
        let claims = claims ?? String(decoding: self.claims.json.canonicalBytes(), as: UTF8.self)
        let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        return signed + "." + Base64URL.encode(try signature(of: signed))
    }

    /// The raw signature of a text by the issuer's key.
    func signature(of text: String) throws -> [UInt8] {
        Array(try private256.signature(for: Array(text.utf8)).rawRepresentation)
    }

    private func changed(_ json: JSONValue, by changes: [String: JSONValue?]) -> String {
        guard case .object(var members) = json else { return "" }
        for (name, value) in changes { members[name] = value }
        return String(decoding: JSONValue.object(members).canonicalBytes(), as: UTF8.self)
    }

    /// The code with which the pinned verifier refuses a token, or nil if it accepts it.
    func refusal(
        of token: String, issuer: String = Tokens.issuer, audiences: Set<String> = [Tokens.audience],
        keys: TokenKeySet? = nil, leeway: Int64 = 0, at seconds: Int64 = Tokens.now
    ) -> AccessTokenError.Code? {
        let verifier = AccessTokenVerifier(issuer: issuer, audiences: audiences, leeway: leeway)
        do {
            _ = try verifier.verify(token, with: keys ?? self.keys, at: seconds)
            return nil
        } catch {
            return error.code
        }
    }
}
