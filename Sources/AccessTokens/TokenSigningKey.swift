import Canonical
import Crypto

/// A private key that signs access tokens with ES256. Printing it shows only its public key.
public struct TokenSigningKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The public half, to publish in `jwks.json`.
    public let publicKey: TokenPublicKey
    private let key: P256.Signing.PrivateKey
    /// The encoded header, the same for every token of this key.
    private let header: String

    private init(_ key: P256.Signing.PrivateKey) {
        self.key = key
        publicKey = TokenPublicKey(key.publicKey)
        let header: JSONValue = ["alg": "ES256", "kid": .string(publicKey.keyID), "typ": "at+jwt"]
        self.header = Base64URL.encode(header.canonicalBytes())
    }

    /// A new random key.
    public init() { self.init(P256.Signing.PrivateKey()) }

    /// A stored key. Returns `nil` unless `bytes` are 32 bytes, big-endian, and a scalar of P-256.
    public init?(rawRepresentation bytes: [UInt8]) {
        guard bytes.count == 32, let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else { return nil }
        self.init(key)
    }

    /// The private scalar, 32 bytes, big-endian. Store it encrypted.
    public var rawRepresentation: [UInt8] { Array(key.rawRepresentation) }

    /// Signs claims as a JWS in compact form. The library draws the nonce, so two tokens of the same claims differ.
    ///
    /// - Throws: ``AccessTokenError`` with ``AccessTokenError/Code/claims`` if no verifier would accept the claims, and
    ///   with ``AccessTokenError/Code/malformed`` if the token would be longer than 4096 bytes.
    public func sign(_ claims: AccessTokenClaims) throws(AccessTokenError) -> String {
        let json = claims.json
        guard (try? AccessTokenClaims(json: json)) == claims else { throw .claims }
        let signed = header + "." + Base64URL.encode(json.canonicalBytes())
        guard let signature = try? key.signature(for: Array(signed.utf8)) else { throw .signing }
        let token = signed + "." + Base64URL.encode(Array(signature.rawRepresentation))
        guard token.utf8.count <= CompactToken.byteLimit else { throw .tooLarge }
        return token
    }

    /// The type and the `kid`.
    public var description: String { "TokenSigningKey(\(publicKey.keyID))" }

    /// The type and the `kid`.
    public var debugDescription: String { description }

    /// The `kid` only, so that a dump shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["keyID": publicKey.keyID]) }
}
