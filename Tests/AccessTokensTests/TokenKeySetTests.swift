import Canonical
import Crypto
import Testing

@testable import AccessTokens

@Suite struct TokenKeySetTests {
    let key = TokenSigningKey().publicKey

    /// The JWK of the key with some members changed or, with nil, removed.
    private func changed(_ changes: [String: JSONValue?]) -> JSONValue {
        guard case .object(var members) = key.json else { return .null }
        for (name, value) in changes { members[name] = value }
        return .object(members)
    }

    private func set(_ keys: JSONValue...) throws -> [TokenPublicKey] {
        try TokenKeySet(JSONValue.object(["keys": .array(keys)]).canonicalBytes()).keys
    }

    @Test func `a key set is read as it is written, in order`() throws {
        let keys = TokenKeySet(keys: [key, TokenSigningKey().publicKey])
        #expect(try TokenKeySet(keys.json.canonicalBytes()) == keys)
        #expect(try TokenKeySet(Array("{\"keys\":[]}".utf8)).keys.isEmpty)
        guard case .object(let members) = key.json else { throw AccessTokenError.key }
        #expect(members.keys.sorted() == ["alg", "crv", "kid", "kty", "use", "x", "y"])
    }

    @Test func `the kid is the thumbprint of RFC 7638`() throws {
        // The key of RFC 7515, appendix A.3.
        let json: JSONValue = [
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "kid": "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U",
        ]
        let key = try TokenPublicKey(json: json)
        // The signature of the same appendix.
        let signature = try #require(
            Base64URL.decode("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"))
        let signed =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb2"
            + "90Ijp0cnVlfQ"
        #expect(key.isValid(signature, over: Array(signed.utf8)))
        #expect(!key.isValid(signature, over: Array(signed.utf8.dropLast())))
    }

    @Test func `a key that cannot verify ES256 is left out, and the others stay`() throws {
        let short = JSONValue.bytes([UInt8](repeating: 1, count: 31))
        let p384 = P384.Signing.PrivateKey().publicKey.rawRepresentation
        let unusable: [JSONValue] = [
            changed(["kty": "RSA"]), changed(["kty": "oct"]), changed(["kty": nil]), changed(["crv": "P-384"]),
            changed(["crv": "secp256k1"]), changed(["crv": nil]), changed(["alg": "ES384"]), changed(["alg": "HS256"]),
            changed(["alg": "none"]), changed(["alg": .null]), changed(["use": "enc"]), changed(["use": 1]),
            changed(["key_ops": ["sign"]]), changed(["key_ops": "verify"]), changed(["x": short]),
            changed(["y": short]), changed(["x": nil]), changed(["y": .null]), changed(["x": ""]),
            changed(["x": .bytes(p384.prefix(48)), "y": .bytes(p384.suffix(48))]),
            changed(["kid": nil]), changed(["kid": "1"]), changed(["kid": .string(TokenSigningKey().publicKey.keyID)]),
            changed(["d": .bytes([UInt8](repeating: 1, count: 32))]),
            ["kty": "oct", "k": "AAAA", "kid": "1", "alg": "HS256"], .null, "key", [:], [],
        ]
        for json in unusable {
            #expect(try set(json, key.json) == [key])
            #expect { try TokenPublicKey(json: json) } throws: { ($0 as? AccessTokenError)?.code == .malformed }
        }
        for json in [
            changed(["alg": nil]), changed(["use": nil]), changed(["key_ops": ["verify"]]), changed(["x5c": []]),
        ] {
            #expect(try set(json) == [key])
        }
    }

    @Test func `a point off the curve is left out`() throws {
        let zero = JSONValue.bytes([UInt8](repeating: 0, count: 32))
        let ones = JSONValue.bytes([UInt8](repeating: 0xFF, count: 32))
        let other = TokenSigningKey().publicKey.json
        for changes: [String: JSONValue?] in [
            ["x": zero, "y": zero], ["x": ones, "y": ones], ["y": zero], ["x": other["x"]], ["y": key.json["x"]],
        ] {
            let json = changed(changes)
            // Its own thumbprint, so that only the curve can refuse it.
            let named: JSONValue = ["crv": "P-256", "kty": "EC", "x": json["x"] ?? .null, "y": json["y"] ?? .null]
            let keyID = Base64URL.encode(Array(SHA256.hash(data: named.canonicalBytes())))
            #expect(try set(changed(changes.merging(["kid": .string(keyID)]) { $1 })).isEmpty)
        }
    }

    @Test func `a coordinate has one spelling`() throws {
        guard case .string(let x) = key.json["x"] else { throw AccessTokenError.key }
        for spelling in [x + "=", " " + x, x + "A", x.replacing("-", with: "+").replacing("_", with: "/") + "="] {
            #expect(try set(changed(["x": .string(spelling)])).isEmpty)
        }
    }

    @Test func `what is no key set is refused`() throws {
        let key = String(decoding: key.json.canonicalBytes(), as: UTF8.self)
        let many = Array(repeating: key, count: 17).joined(separator: ",")
        for text in [
            "", "[]", "null", "{}", "{\"keys\":{}}", "{\"keys\":[\(key)]", "{\"keys\":[\(key)],\"keys\":[]}",
            "{\"keys\":[\(many)]}", "<html>", "{\"keys\":[]}" + String(repeating: " ", count: 65_536),
            "{\"keys\":[{\"x\":1,\"x\":2}]}",
        ] {
            #expect { try TokenKeySet(Array(text.utf8)) } throws: { ($0 as? AccessTokenError)?.code == .malformed }
        }
    }
}
