/// The reason why an access token, a key or a key set was refused.
public struct AccessTokenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of refusal. Compare codes; texts may change.
    public enum Code: String, Sendable, CaseIterable {
        /// Not a JWS in compact form, or longer than 4096 bytes. Also a key or key set that cannot be read.
        case malformed
        /// `alg` is absent or anything but `ES256`.
        case algorithm
        /// `typ` is absent or anything but `at+jwt`.
        case type
        /// The header is not an object, or has a member besides `alg`, `kid` and `typ`, or has no `kid`.
        case header
        /// No given key has the token's `kid`.
        case keyUnknown
        /// The signature is not 64 bytes or does not verify; when signing, the library failed.
        case signature
        /// `iss` is not the expected issuer.
        case issuer
        /// `aud` is not one of the expected audiences.
        case audience
        /// `exp` is in the past.
        case expired
        /// `iat` or `nbf` is in the future.
        case notYetValid
        /// The claims are not an object, or one is absent, given twice or of the wrong type.
        case claims
    }

    /// The kind of refusal.
    public let code: Code
    /// What happened and what to do next, in English. It never repeats the token and is safe to show and to log.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

extension AccessTokenError {
    static let tooLarge = AccessTokenError(
        .malformed, "The token is longer than 4096 bytes. Send the access token alone, as the service issued it.")
    static let notCompact = AccessTokenError(
        .malformed, "This is not a signed token. Send three base64url parts without padding, separated by dots.")
    static let algorithm = AccessTokenError(
        .algorithm, "The token is not signed with ES256. Accept no other algorithm; obtain a new access token.")
    static let type = AccessTokenError(
        .type, "The token's type is not at+jwt. Send an access token, not an ID token or another JWT.")
    static let header = AccessTokenError(
        .header, "The token's header is not exactly alg, kid and typ. Send the token unchanged.")
    static let keyUnknown = AccessTokenError(
        .keyUnknown, "No published key has the token's kid. Fetch jwks.json again, or obtain a new access token.")
    static let signature = AccessTokenError(
        .signature, "The signature does not verify. Send the token unchanged.")
    static let issuer = AccessTokenError(
        .issuer, "Another issuer issued the token. Obtain one from the configured issuer.")
    static let audience = AccessTokenError(
        .audience, "The token is meant for another audience. Obtain one for this app or resource.")
    static let expired = AccessTokenError(
        .expired, "The token has expired. Refresh the session and send the new access token.")
    static let notYetValid = AccessTokenError(
        .notYetValid, "The token is not valid yet. Synchronise the clocks of the issuer and of this machine.")
    static let claims = AccessTokenError(
        .claims, "The token's claims are not those of an access token. Send an access token of this service.")
    static let signing = AccessTokenError(
        .signature, "The token could not be signed. Check the signing key.")
    static let key = AccessTokenError(
        .malformed, "This JWK is not a public ES256 key named by its thumbprint. Publish kty, crv, x, y and kid only.")
    static let keySet = AccessTokenError(
        .malformed, "This is not a JWK set. Fetch the document that jwks_uri names.")
}
