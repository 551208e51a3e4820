import Canonical
import Crypto
import Foundation
import Testing

@testable import AccessTokens

@Suite struct AccessTokenTests {
    let tokens = Tokens()

    @Test func `a signed token verifies and gives back its claims`() throws {
        let token = try tokens.key.sign(tokens.claims)
        let verifier = AccessTokenVerifier(issuer: Tokens.issuer, audiences: [Tokens.audience])
        #expect(try verifier.verify(token, with: tokens.keys, at: Tokens.now) == tokens.claims)
        #expect(try tokens.key.sign(tokens.claims) != token)
    }

    @Test func `the header and the claims have these names and values`() throws {
        let parts = try tokens.key.sign(tokens.claims).split(separator: ".").map { Base64URL.decode(String($0)) }
        let header = try CanonicalJSON.parse(try #require(parts[0]))
        #expect(header == ["alg": "ES256", "kid": .string(tokens.key.publicKey.keyID), "typ": "at+jwt"])
        let claims = try CanonicalJSON.parse(try #require(parts[1]))
        guard case .object(let members) = claims else { throw AccessTokenError.claims }
        #expect(
            members.keys.sorted() == [
                "amr", "aud", "auth_time", "client_id", "exp", "iat", "iss", "jti", "role", "sid", "sub", "tenant",
            ])
        #expect(members["sub"] == .string(tokens.claims.subject.uuidString.lowercased()))
        #expect(members["amr"] == ["pop", "pwd", "mfa"])
        #expect(members["exp"] == .integer(Tokens.now + 300))
        #expect(parts[2]?.count == 64)
    }

    @Test func `two keys are live during a rotation`() throws {
        let next = Tokens()
        let both = TokenKeySet(keys: [tokens.key.publicKey, next.key.publicKey])
        #expect(tokens.refusal(of: try tokens.token(claims: [:]), keys: both) == nil)
        #expect(tokens.refusal(of: try next.token(claims: [:]), keys: both) == nil)
    }

    @Test func `an unverified token shows its kid and claims, however wrong its signature`() throws {
        let token = try tokens.token(claims: ["exp": 1])
        let forged = token.split(separator: ".").prefix(2).joined(separator: ".") + ".AAAA"
        let unverified = try #require(UnverifiedAccessToken(forged))
        #expect(unverified.keyID == tokens.key.publicKey.keyID)
        #expect(unverified.claims.sessionID == tokens.claims.sessionID)
        #expect(tokens.refusal(of: forged) == .signature)
        for other in [
            "", "opaque", try tokens.token(header: ["alg": "none"]), try tokens.token(header: ["jku": "x"]),
            try tokens.token(claims: ["sid": nil]),
        ] {
            #expect(UnverifiedAccessToken(other) == nil)
        }
    }

    @Test func `claims that no verifier would accept are not signed`() throws {
        var claims = tokens.claims
        claims.expiresAt = .max
        #expect { try tokens.key.sign(claims) } throws: { ($0 as? AccessTokenError)?.code == .claims }
        claims = tokens.claims
        claims.audience = ""
        #expect { try tokens.key.sign(claims) } throws: { ($0 as? AccessTokenError)?.code == .claims }
        claims.audience = String(repeating: "a", count: 4_000)
        #expect { try tokens.key.sign(claims) } throws: { ($0 as? AccessTokenError)?.code == .malformed }
    }

    @Test func `a signing key is kept as 32 bytes and never shown`() throws {
        let bytes = tokens.key.rawRepresentation
        #expect(bytes == Array(tokens.private256.rawRepresentation))
        #expect(TokenSigningKey(rawRepresentation: bytes)?.publicKey == tokens.key.publicKey)
        #expect(TokenSigningKey().publicKey != tokens.key.publicKey)
        for wrong in [[], Array(bytes.dropLast()), bytes + [0], [UInt8](repeating: 0, count: 32), [0] + bytes] {
            #expect(TokenSigningKey(rawRepresentation: wrong) == nil)
        }
        #expect(TokenSigningKey(rawRepresentation: SignatureAttackTests.order) == nil)
        var dumped = ""
        dump(tokens.key, to: &dumped)
        let named = "TokenSigningKey(\(tokens.key.publicKey.keyID))"
        #expect("\(tokens.key)" == named)
        #expect(String(reflecting: tokens.key) == named)
        #expect(!dumped.contains("key:") && !dumped.contains("header") && dumped.contains("keyID"))
    }

    @Test func `every refusal says what to do and repeats nothing of the token`() throws {
        let refusals: [AccessTokenError] = [
            .tooLarge, .notCompact, .algorithm, .type, .header, .keyUnknown, .signature, .issuer, .audience, .expired,
            .notYetValid, .claims, .signing, .key, .keySet,
        ]
        #expect(Set(refusals.map(\.code)) == Set(AccessTokenError.Code.allCases))
        #expect(Set(refusals.map(\.description)).count == refusals.count)
        #expect(refusals.allSatisfy { $0.description.count(where: { $0 == "." }) >= 2 && "\($0)" == $0.description })
    }
}
