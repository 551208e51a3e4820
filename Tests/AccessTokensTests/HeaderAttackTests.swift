import Canonical
import Crypto
import Foundation
import Testing

@testable import AccessTokens

/// The attacks of RFC 8725 that a header carries. Every token here but those for `none` and HS256 is signed well.
@Suite struct HeaderAttackTests {
    let tokens = Tokens()

    @Test func `none is refused in every spelling, with and without a signature`() throws {
        for algorithm in ["none", "None", "NONE", "nOnE", ""] {
            let token = try tokens.token(header: ["alg": .string(algorithm)])
            #expect(tokens.refusal(of: token) == .algorithm)
            let unsigned = token.split(separator: ".").prefix(2).joined(separator: ".") + "."
            #expect(tokens.refusal(of: unsigned) == .algorithm)
        }
    }

    @Test func `HS256 with the public key as its secret is refused`() throws {
        let publicKey = tokens.private256.publicKey
        let json = String(decoding: tokens.key.publicKey.json.canonicalBytes(), as: UTF8.self)
        let secrets: [[UInt8]] = [
            Array(publicKey.x963Representation), Array(publicKey.rawRepresentation), Array(publicKey.derRepresentation),
            Array(publicKey.pemRepresentation.utf8), Array((publicKey.pemRepresentation + "\n").utf8), Array(json.utf8),
            Array(tokens.key.publicKey.keyID.utf8),
        ]
        for secret in secrets {
            for algorithm in ["HS256", "ES256"] {
                let parts = try tokens.token(header: ["alg": .string(algorithm)]).split(separator: ".")
                let signed = parts[0] + "." + parts[1]
                let code = HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: SymmetricKey(data: secret))
                let token = signed + "." + Base64URL.encode(Array(code))
                #expect(tokens.refusal(of: String(token)) == (algorithm == "HS256" ? .algorithm : .signature))
            }
        }
    }

    @Test(arguments: ["ES384", "ES512", "ES256K", "RS256", "PS256", "EdDSA", "HS512", "es256", "ES256 ", "dir"])
    func `any other algorithm is refused`(_ algorithm: String) throws {
        #expect(tokens.refusal(of: try tokens.token(header: ["alg": .string(algorithm)])) == .algorithm)
    }

    @Test func `an algorithm that is absent or no string is refused`() throws {
        for value: JSONValue? in [nil, .null, 7, ["ES256"], true] {
            #expect(tokens.refusal(of: try tokens.token(header: ["alg": value])) == .algorithm)
        }
    }

    @Test func `a foreign key is refused, by its own kid and under ours`() throws {
        let foreign = Tokens()
        #expect(tokens.refusal(of: try foreign.token(claims: [:])) == .keyUnknown)
        let posing = try foreign.token(header: ["kid": .string(tokens.key.publicKey.keyID)])
        #expect(tokens.refusal(of: posing) == .signature)
        #expect(foreign.refusal(of: posing, keys: TokenKeySet(keys: [foreign.key.publicKey])) == .keyUnknown)
    }

    @Test func `a kid is compared as a whole and is never a path or a query`() throws {
        let own = tokens.key.publicKey.keyID
        for keyID in ["", String(own.dropLast()), own + "A", own.lowercased() + "_", "../../dev/null", "' OR 1=1 --"] {
            #expect(tokens.refusal(of: try tokens.token(header: ["kid": .string(keyID)])) == .keyUnknown)
        }
        for value: JSONValue? in [nil, .null, 1, [.string(own)]] {
            #expect(tokens.refusal(of: try tokens.token(header: ["kid": value])) == .header)
        }
        #expect(tokens.refusal(of: try tokens.token(claims: [:]), keys: TokenKeySet(keys: [])) == .keyUnknown)
    }

    @Test func `headers that bring or point to a key are refused, even when that key signed`() throws {
        let foreign = Tokens()
        let headers: [String: JSONValue] = [
            "jwk": foreign.key.publicKey.json, "jku": "https://evil.example/jwks.json",
            "x5u": "https://evil.example/chain.pem", "x5c": ["MIIB"], "x5t": "AAAA", "x5t#S256": "AAAA",
        ]
        for (name, value) in headers {
            #expect(tokens.refusal(of: try tokens.token(header: [name: value])) == .header)
            let posing = try foreign.token(
                header: [name: value, "kid": .string(tokens.key.publicKey.keyID)])
            #expect(tokens.refusal(of: posing) == .header)
        }
    }

    @Test func `critical and unknown headers are refused`() throws {
        let headers: [[String: JSONValue?]] = [
            ["crit": ["b64"], "b64": false], ["crit": ["exp"]], ["crit": []], ["b64": true], ["b64": false],
            ["zip": "DEF"], ["enc": "A256GCM"], ["cty": "JWT"], ["cty": "at+jwt"], ["nonce": "x"], ["epk": [:]],
        ]
        for header in headers {
            #expect(tokens.refusal(of: try tokens.token(header: header)) == .header)
        }
    }

    @Test func `headers given twice are refused, also when escaped`() throws {
        let keyID = tokens.key.publicKey.keyID
        let good = "\"alg\":\"ES256\",\"kid\":\"\(keyID)\",\"typ\":\"at+jwt\""
        #expect(tokens.refusal(of: try tokens.token(header: "{\(good)}")) == nil)
        for twice in [
            "\"alg\":\"none\"", "\"alg\":\"ES256\"", "\"kid\":\"\(keyID)\"", "\"typ\":\"at+jwt\"",
            "\"\\u0061lg\":\"none\"",
        ] {
            #expect(tokens.refusal(of: try tokens.token(header: "{\(good),\(twice)}")) == .header)
            #expect(tokens.refusal(of: try tokens.token(header: "{\(twice),\(good)}")) == .header)
        }
    }

    @Test func `a header that is no JSON object is refused`() throws {
        for header in ["", "[]", "null", "\"ES256\"", "{", "{}x", "\u{FEFF}{}", "alg"] {
            #expect(tokens.refusal(of: try tokens.token(header: header)) == .header)
        }
    }

    @Test func `only the types of access tokens are accepted, in any case`() throws {
        for type in ["at+jwt", "AT+JWT", "At+Jwt", "application/at+jwt", "Application/AT+JWT"] {
            #expect(tokens.refusal(of: try tokens.token(header: ["typ": .string(type)])) == nil)
        }
        for type in [
            "JWT", "jwt", "at+jwt ", "id+jwt", "logout+jwt", "dpop+jwt", "at+jwts", "", "text/at+jwt", "ＡＴ+jwt",
        ] {
            #expect(tokens.refusal(of: try tokens.token(header: ["typ": .string(type)])) == .type)
        }
        for value: JSONValue? in [nil, .null, 1, ["at+jwt"]] {
            #expect(tokens.refusal(of: try tokens.token(header: ["typ": value])) == .type)
        }
    }
}
