import AccessTokens
import Canonical
import Crypto
import CryptoExtras
import Foundation
import Identity
import Keys
import Logging
import Postgres
import TestSupport
import Testing

@testable import IdentityService

/// The keys that sign ID tokens: sealed, of one use, and replaced as those of access tokens.
@Suite struct IDTokenKeysTests {
    private let start = Timestamp(microseconds: 1_795_000_000_000_000)
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private static let claims: JSONValue = ["sub": "a", "aud": "b"]

    @Test func `oidcc-idtoken-signature signs with RS256 by a key of 2048 bits that its JWK verifies`() throws {
        let key = try IDTokenSigningKey.new(.idTokenRS256), token = try key.sign(Self.claims)
        let parts = token.split(separator: ".").map(String.init)
        let header = try StrictJSON.parse(try #require(Base64URL.decode(parts[0])))
        #expect(header == ["alg": "RS256", "kid": .string(key.keyID), "typ": "JWT"])
        let n = try #require(key.jwk["n"]?.text.flatMap(Base64URL.decode)),
            e = try #require(
                key.jwk["e"]?.text.flatMap(Base64URL.decode))
        #expect(n.count == 256 && e == [1, 0, 1] && key.jwk["d"] == nil)
        let other = try _RSA.Signing.PublicKey(n: Data(n), e: Data(e))
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try #require(Base64URL.decode(parts[2])))
        let message = Array((parts[0] + "." + parts[1]).utf8)
        #expect(other.isValidSignature(signature, for: message, padding: .insecurePKCS1v1_5))
        #expect(!other.isValidSignature(signature, for: message + [0], padding: .insecurePKCS1v1_5))
    }

    @Test(arguments: [SigningKeyUse.idTokenRS256, .idTokenES256])
    func `reads the claims of its own tokens only`(use: SigningKeyUse) throws {
        let key = try IDTokenSigningKey.new(use), token = try key.sign(Self.claims)
        #expect(key.claims(of: token) == Self.claims)
        #expect(try IDTokenSigningKey.new(use).claims(of: token) == nil)
        let parts = token.split(separator: ".").map(String.init)
        let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
        let changed = Base64URL.encode(Array(#"{"aud":"c","sub":"a"}"#.utf8))
        for text in [
            "", "..", parts[0] + "." + parts[1] + ".", none + "." + parts[1] + ".",
            parts[0] + "." + changed + "." + parts[2],
            token + "A", token + ".", String(token.dropLast()),
        ] {
            #expect(key.claims(of: text) == nil, "\(text)")
        }
    }

    @Test(arguments: [SigningKeyUse.idTokenRS256, .idTokenES256])
    func `opens for its own use and id only`(use: SigningKeyUse) throws {
        let ring = KeyRing.random(), key = try IDTokenSigningKey.new(use)
        let row = try SigningKeyRow(of: key, use, createdAt: start, signsFrom: start, ring)
        let opened: IDTokenSigningKey? = row.key(ring)
        #expect(opened?.keyID == key.keyID)
        for other in SigningKeyUse.allCases where other != use {
            #expect(other.open(row.sealed, keyID: key.keyID, ring) == nil, "\(other)")
        }
        #expect(use.open(row.sealed, keyID: TokenSigningKey().keyID, ring) == nil)
        #expect(IDTokenSigningKey(stored: TokenSigningKey().stored, .accessToken) == nil)
        #expect(TokenSigningKey(stored: key.stored, use) == nil)
    }

    @Test func `shows only its id`() throws {
        let key = try IDTokenSigningKey.new(.idTokenES256)
        #expect("\(key)" == "IDTokenSigningKey(\(key.keyID))")
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("PrivateKey"))
    }

    @Test(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
    func `are made once, differ from those of access tokens, and are replaced by one command with an event`()
        async throws
    {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let context = try ServiceContext.connected(pool)
                let first = try await context.sessions.idTokenKeys.published(at: start)
                #expect(first.count == 2 && Set(first.compactMap { $0["alg"]?.text }) == ["RS256", "ES256"])
                #expect(try await context.sessions.idTokenKeys.published(at: start) == first)
                let access = try await context.sessions.tokenKeys.published(at: start).keys.map(\.keyID)
                #expect(Set(access).isDisjoint(with: first.compactMap { $0["kid"]?.text }))

                let keys = SigningKeys<IDTokenSigningKey>(
                    .idTokenRS256, pool: pool, rows: context.rows, lifetime: .seconds(300), logger: Self.logger)
                let rotation = SigningKeyRotation(.idTokenRS256, pool: pool, rows: context.rows)
                let old = try await keys.signingKey(at: start).keyID
                let step = try #require(try await rotation.next(at: start.adding(.seconds(60))))
                #expect(step.key.isNew && step.key.signsFrom == start.adding(.seconds(960)))
                try await pool.withTransaction { connection in
                    for statement in step.statements { try await connection.execute(statement) }
                }
                #expect(try await keys.signingKey(at: start.adding(.seconds(959))).keyID == old)
                #expect(try await keys.signingKey(at: start.adding(.seconds(960))).keyID == step.key.keyID)
                let es256 = SigningKeys<IDTokenSigningKey>(
                    .idTokenES256, pool: pool, rows: context.rows, lifetime: .seconds(300), logger: Self.logger)
                #expect(try await es256.keys(at: start.adding(.seconds(960))).count == 1, "another algorithm stays")
            }
        }
    }
}

extension JSONValue {
    /// The string, or nil.
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}
