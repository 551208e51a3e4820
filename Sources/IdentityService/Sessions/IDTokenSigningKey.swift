import Canonical
import Crypto
import CryptoExtras
import FoundationEssentials
import Identity

/// A private key that signs ID tokens. Printing it shows only its id.
struct IDTokenSigningKey: StoredSigningKey, CustomStringConvertible, CustomReflectable {
    private enum Half: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case ecdsa(P256.Signing.PrivateKey)
    }

    /// The public key (RFC 7517), with `kid`, `alg` and `use`.
    let jwk: JSONValue
    let keyID: String
    let algorithm: IDTokenAlgorithm
    private let half: Half
    /// The encoded header, the same for every token of this key.
    private let header: String

    private init(_ half: Half) throws {
        self.half = half
        var members: [String: JSONValue]
        switch half {
        case .rsa(let key):
            algorithm = .rs256
            let primitives = try key.publicKey.getKeyPrimitives()
            members = [
                "kty": "RSA", "n": .bytes(Self.unsigned(primitives.modulus)),
                "e": .bytes(Self.unsigned(primitives.publicExponent)),
            ]
        case .ecdsa(let key):
            algorithm = .es256
            let point = Array(key.publicKey.rawRepresentation)
            members = [
                "kty": "EC", "crv": "P-256", "x": .bytes(Array(point.prefix(32))), "y": .bytes(Array(point.suffix(32))),
            ]
        }
        // The thumbprint (RFC 7638) covers the required members only.
        keyID = Base64URL.encode(Array(SHA256.hash(data: JSONValue.object(members).canonicalBytes())))
        members["kid"] = .string(keyID)
        members["alg"] = .string(algorithm.rawValue)
        members["use"] = "sig"
        jwk = .object(members)
        let header: JSONValue = ["alg": .string(algorithm.rawValue), "kid": .string(keyID), "typ": "JWT"]
        self.header = Base64URL.encode(header.canonicalBytes())
    }

    /// The minimal bytes of a big-endian number.
    private static func unsigned(_ number: Data) -> [UInt8] { Array(number.drop { $0 == 0 }) }

    /// A new key of 2048 bits, or of P-256.
    static func new(_ use: SigningKeyUse) throws -> IDTokenSigningKey {
        try IDTokenSigningKey(
            use.idTokenAlgorithm == .rs256
                ? .rsa(_RSA.Signing.PrivateKey(keySize: .bits2048)) : .ecdsa(P256.Signing.PrivateKey()))
    }

    init?(stored: [UInt8], _ use: SigningKeyUse) {
        switch use.idTokenAlgorithm {
        case nil: return nil
        case .rs256:
            guard let key = try? _RSA.Signing.PrivateKey(derRepresentation: stored) else { return nil }
            try? self.init(.rsa(key))
        case .es256:
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: stored) else { return nil }
            try? self.init(.ecdsa(key))
        }
    }

    var stored: [UInt8] {
        switch half {
        case .rsa(let key): Array(key.derRepresentation)
        case .ecdsa(let key): Array(key.rawRepresentation)
        }
    }

    /// Signs claims as a JWS in compact form.
    func sign(_ claims: JSONValue) throws -> String {
        let signed = header + "." + Base64URL.encode(claims.canonicalBytes())
        let message = Array(signed.utf8)
        let signature: [UInt8] =
            switch half {
            case .rsa(let key): Array(try key.signature(for: message, padding: .insecurePKCS1v1_5).rawRepresentation)
            case .ecdsa(let key): Array(try key.signature(for: message).rawRepresentation)
            }
        return signed + "." + Base64URL.encode(signature)
    }

    /// Returns the claims of a token that this key signed, whatever their times say; `nil` for any other text.
    func claims(of token: String) -> JSONValue? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard token.utf8.count <= 8_192, parts.count == 3, parts[0] == header,
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { return nil }
        let message = Array((parts[0] + "." + parts[1]).utf8)
        let isValid =
            switch half {
            case .rsa(let key):
                key.publicKey.isValidSignature(
                    _RSA.Signing.RSASignature(rawRepresentation: signature), for: message, padding: .insecurePKCS1v1_5)
            case .ecdsa(let key):
                (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map {
                    key.publicKey.isValidSignature($0, for: message)
                } ?? false
            }
        return isValid ? try? StrictJSON.parse(payload) : nil
    }

    var description: String { "IDTokenSigningKey(\(keyID))" }
    var customMirror: Mirror { Mirror(self, children: ["keyID": keyID]) }
}
