public import Canonical
import Crypto

/// A public key that verifies access tokens: a point of P-256, named by its thumbprint.
public struct TokenPublicKey: Sendable, Equatable {
    /// The `kid`: the unpadded base64url SHA-256 thumbprint of the key (RFC 7638), 43 characters.
    public let keyID: String
    /// The coordinates x ‖ y, 32 bytes each, big-endian.
    private let point: [UInt8]
    private let key: P256.Signing.PublicKey

    init(_ key: P256.Signing.PublicKey) {
        self.key = key
        point = Array(key.rawRepresentation)
        let required = JSONValue.object(Self.required(point))
        keyID = Base64URL.encode(Array(SHA256.hash(data: required.canonicalBytes())))
    }

    /// Reads a JWK (RFC 7517).
    ///
    /// `kty` is `EC`, `crv` is `P-256`, `x` and `y` have 32 bytes and are a point of the curve, and `kid` is the
    /// thumbprint. `alg`, `use` and `key_ops` may be absent and must otherwise allow to verify ES256. A JWK with the
    /// private member `d` is refused. Other members are ignored.
    ///
    /// - Throws: ``AccessTokenError`` with ``AccessTokenError/Code/malformed`` for every other value.
    public init(json: JSONValue) throws(AccessTokenError) {
        guard json["kty"] == "EC", json["crv"] == "P-256", json["d"] == nil,
            [nil, "ES256"].contains(json["alg"]), [nil, "sig"].contains(json["use"]), Self.mayVerify(json["key_ops"]),
            let x = Self.coordinate(json["x"]), let y = Self.coordinate(json["y"]),
            let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
        else { throw .key }
        self.init(key)
        guard json["kid"] == .string(keyID) else { throw .key }
    }

    /// The JWK: `kty`, `crv`, `x`, `y`, `kid`, `alg` and `use`.
    public var json: JSONValue {
        var members = Self.required(point)
        members["kid"] = .string(keyID)
        members["alg"] = "ES256"
        members["use"] = "sig"
        return .object(members)
    }

    /// Whether `signature` (r ‖ s, 64 bytes) is an ECDSA signature by this key over the SHA-256 of `message`.
    func isValid(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        guard signature.count == 64, let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return key.isValidSignature(ecdsa, for: message)
    }

    /// Whether both are the same point.
    public static func == (left: TokenPublicKey, right: TokenPublicKey) -> Bool { left.point == right.point }

    /// The members of the thumbprint (RFC 7638 §3.2).
    private static func required(_ point: [UInt8]) -> [String: JSONValue] {
        ["kty": "EC", "crv": "P-256", "x": .bytes(point.prefix(32)), "y": .bytes(point.suffix(32))]
    }

    private static func coordinate(_ value: JSONValue?) -> [UInt8]? {
        guard case .string(let text) = value, let bytes = Base64URL.decode(text), bytes.count == 32 else { return nil }
        return bytes
    }

    private static func mayVerify(_ operations: JSONValue?) -> Bool {
        guard let operations else { return true }
        guard case .array(let names) = operations else { return false }
        return names.contains("verify")
    }
}
