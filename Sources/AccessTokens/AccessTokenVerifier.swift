import Canonical

/// Verifies access tokens with everything pinned: algorithm, type, header, key, issuer, audience and times.
///
/// It follows RFC 9068 §4 and RFC 8725. The token is trusted with nothing: it cannot choose the algorithm or the place
/// of a key, and its claims are read only after its signature verified.
///
/// ```swift
/// let verifier = AccessTokenVerifier(issuer: "https://id.example", audiences: ["https://api.example"])
/// let claims = try verifier.verify(token, with: keys, at: now)
/// ```
///
/// Of a signature (r, s) both s and n − s verify, as RFC 7518 §3.4 allows. The text of a token is therefore
/// no identifier; ``AccessTokenClaims/id`` is.
public struct AccessTokenVerifier: Sendable {
    /// How far the issuer's clock may be ahead, in seconds, in addition to the leeway.
    static let clockAllowance: Int64 = 5
    /// The greatest leeway, in seconds.
    static let greatestLeeway: Int64 = 300

    private let issuer: String
    private let audiences: Set<String>
    private let leeway: Int64

    /// A verifier of one issuer's tokens.
    ///
    /// - Parameters:
    ///   - issuer: The exact `iss`, a URL without a trailing slash.
    ///   - audiences: The exact values of `aud` that are accepted: the app's UUID or the URIs of resources.
    ///   - leeway: How long after `exp` a token is still accepted, in seconds, limited to 0…300. `iat` and `nbf` may be
    ///     as far in the future, and always five seconds.
    public init(issuer: String, audiences: Set<String>, leeway: Int64 = 0) {
        self.issuer = issuer
        self.audiences = audiences
        self.leeway = min(max(leeway, 0), Self.greatestLeeway)
    }

    /// Verifies a token and returns its claims.
    ///
    /// - Parameters:
    ///   - token: A JWS in compact form, at most 4096 bytes.
    ///   - keys: The issuer's published keys.
    ///   - seconds: Now, in seconds since 1970.
    /// - Throws: ``AccessTokenError`` with the first check that failed.
    public func verify(
        _ token: String, with keys: TokenKeySet, at seconds: Int64
    ) throws(AccessTokenError) -> AccessTokenClaims {
        let parts = try CompactToken(token)
        guard let key = keys.key(try parts.keyID()) else { throw .keyUnknown }
        guard key.isValid(parts.signature, over: parts.signed) else { throw .signature }
        let json = try parts.json()
        guard let claims = try? AccessTokenClaims(json: json) else { throw .claims }
        guard claims.issuer.utf8.elementsEqual(issuer.utf8) else { throw .issuer }
        guard audiences.contains(where: { $0.utf8.elementsEqual(claims.audience.utf8) }) else { throw .audience }
        // Claims are below 2^53, so these sums do not overflow; `seconds` may be anything.
        guard claims.expiresAt + leeway > seconds else { throw .expired }
        guard try max(claims.issuedAt, notBefore(json)) - leeway - Self.clockAllowance <= seconds else {
            throw .notYetValid
        }
        return claims
    }

    /// `nbf`, or 0 if it is absent.
    private func notBefore(_ json: JSONValue) throws(AccessTokenError) -> Int64 {
        switch json["nbf"] {
        case nil: return 0
        case .integer(let seconds): return seconds
        default: throw .claims
        }
    }
}
