public import AccessTokens
public import AsyncHTTPClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Verifies the access tokens of one Tenure service in a back end.
///
/// ```swift
/// let verifier = try TokenVerifier(issuer: "https://id.example", audience: "https://api.example")
/// let claims = try await verifier.verify(authorization: request.headers[.authorization])
/// ```
///
/// The issuer's keys are found by discovery (RFC 8414) at the first token. They are cached for the `max-age` of
/// `jwks.json`, at least a minute and at most an hour, and fetched again once for an unknown `kid`. While the issuer is
/// away, cached keys are used for one more hour. Copies share the cache. ``AccessTokens/AccessTokenVerifier`` tells what
/// is checked.
///
/// An accepted token may belong to a session that ended less than five minutes ago. Ask the introspection endpoint where
/// that is too late.
public struct TokenVerifier: Sendable {
    private let issuer: String
    private let audience: String
    private let verifier: AccessTokenVerifier
    private let keys: IssuerKeys
    private let seconds: @Sendable () -> Int64

    /// A verifier that has fetched nothing yet.
    ///
    /// - Parameters:
    ///   - issuer: The URL of the service exactly as its tokens name it, without a trailing slash. It is an https URL;
    ///     http is accepted on a loopback address.
    ///   - audience: The `aud` of tokens for this back end, usually the URI that the operator registered for it.
    ///   - leeway: How long after its end a token is still accepted, in seconds, at most 300.
    ///   - http: The client that fetches the keys. It must not follow redirects to elsewhere; their answers are refused.
    /// - Throws: ``TokenIssuerError`` with ``TokenIssuerError/Code/configuration``.
    public init(
        issuer: String, audience: String, leeway: Int64 = 0, http: HTTPClient = .shared
    ) throws(TokenIssuerError) {
        let start = ContinuousClock.now
        try self.init(
            issuer: issuer, audience: audience, leeway: leeway, fetch: IssuerDocument.fetch(with: http),
            seconds: { Int64(Date().timeIntervalSince1970) },
            uptime: { (ContinuousClock.now - start).components.seconds })
    }

    init(
        issuer: String, audience: String, leeway: Int64 = 0, fetch: @escaping IssuerDocument.Fetch,
        seconds: @escaping @Sendable () -> Int64, uptime: @escaping @Sendable () -> Int64
    ) throws(TokenIssuerError) {
        // It becomes a quoted text in a header.
        guard !audience.isEmpty, audience.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        else {
            throw TokenIssuerError(
                .configuration, "The audience is not usable. Give the app's UUID or the URI of the resource.")
        }
        self.issuer = issuer
        self.audience = audience
        self.seconds = seconds
        verifier = AccessTokenVerifier(issuer: issuer, audiences: [audience], leeway: leeway)
        keys = IssuerKeys(try IssuerLocation(issuer), fetch: fetch, uptime: uptime)
    }

    /// Verifies the token of an `Authorization` header (RFC 6750 §2.1).
    ///
    /// - Parameter value: The value of the one `Authorization` header, or `nil` if the request has none.
    public func verify(authorization value: String?) async throws(BearerRefusal) -> AccessTokenClaims {
        // The scheme ignores case (RFC 9110 §11.1). Another scheme is as good as none.
        guard let words = value?.split(separator: " "), words.first?.lowercased() == "bearer" else {
            throw refusal(.missing)
        }
        guard words.count == 2, words[1].utf8.allSatisfy(Self.isTokenByte) else { throw refusal(.unreadable) }
        return try await verify(String(words[1]))
    }

    /// Verifies an access token.
    public func verify(_ token: String) async throws(BearerRefusal) -> AccessTokenClaims {
        let current: TokenKeySet
        do {
            current = try await keys.current()
        } catch {
            throw refusal(.unavailable(error))
        }
        do {
            return try verifier.verify(token, with: current, at: seconds())
        } catch {
            // Tokens of other issuers are common and no reason to fetch.
            guard error.code == .keyUnknown, UnverifiedAccessToken(token)?.claims.issuer == issuer else {
                throw refusal(.invalid(error))
            }
        }
        do {
            return try verifier.verify(token, with: await keys.renewed(after: current), at: seconds())
        } catch {
            throw refusal(.invalid(error))
        }
    }

    private func refusal(_ reason: BearerRefusal.Reason) -> BearerRefusal {
        BearerRefusal(reason: reason, audience: audience)
    }

    /// Whether a byte may stand in a bearer token (RFC 6750 §2.1).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~+/=".utf8.contains(byte)
        }
    }
}
