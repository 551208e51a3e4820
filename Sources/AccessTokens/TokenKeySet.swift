public import Canonical

/// The public keys of an issuer, as `jwks.json` publishes them (RFC 7517 §5).
public struct TokenKeySet: Sendable, Equatable {
    /// The greatest number of keys that are read; two are published during a rotation.
    static let keyLimit = 16

    /// The keys, in the order in which they were published.
    public let keys: [TokenPublicKey]

    /// A set of keys.
    public init(keys: [TokenPublicKey]) { self.keys = keys }

    /// Reads a JWK set of at most 64 KiB and 16 keys.
    ///
    /// A key that cannot verify ES256 is left out, as RFC 7517 §5 asks: another curve, algorithm or use, coordinates of
    /// the wrong size or off the curve, a `kid` that is not the thumbprint. The set may therefore be empty, and then
    /// verifies nothing.
    ///
    /// - Throws: ``AccessTokenError`` with ``AccessTokenError/Code/malformed`` if `bytes` are not a JWK set in UTF-8
    ///   without duplicate members.
    public init(_ bytes: [UInt8]) throws(AccessTokenError) {
        guard let json = try? StrictJSON.parse(bytes, limits: StrictJSON.Limits(bytes: 65_536, depth: 8)),
            case .array(let elements) = json["keys"], elements.count <= Self.keyLimit
        else { throw .keySet }
        keys = elements.compactMap { try? TokenPublicKey(json: $0) }
    }

    /// The JWK set: `{"keys":[…]}`.
    public var json: JSONValue { ["keys": .array(keys.map(\.json))] }

    /// The key with exactly this `kid`.
    func key(_ keyID: String) -> TokenPublicKey? { keys.first { $0.keyID.utf8.elementsEqual(keyID.utf8) } }
}
