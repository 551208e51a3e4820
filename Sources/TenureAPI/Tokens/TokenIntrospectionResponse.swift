public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The response of `POST /oauth/introspect` (RFC 7662 §2.2).
public enum TokenIntrospectionResponse: Sendable, Equatable, JSONConvertible {
    /// The token is in force, and the calling app may learn its claims.
    case active(Claims)
    /// The token is not in force, or not for the calling app. The response does not tell which.
    case inactive

    /// The claims of an active access token. Times are in seconds since 1970.
    public struct Claims: Sendable, Equatable {
        /// `iss`: the URL of the service that issued the token.
        public var issuer: String
        /// `sub`: the permanent id of the employee.
        public var subject: UUID
        /// `aud`: the audience, an app's lower-case UUID or the URI of one of its resources.
        public var audience: String
        /// `exp`: the end of the token.
        public var expiresAt: Int64
        /// `iat`: the time of issue.
        public var issuedAt: Int64
        /// `jti`: the id of the token.
        public var id: UUID
        /// `client_id`: the app in which the employee logged in.
        public var clientID: UUID
        /// `sid`: the session.
        public var sessionID: UUID
        /// `tenant`: the employee's tenant.
        public var tenantID: UUID
        /// `role`: the role of the session, today `employee`, `admin` or `securityAdmin`. Grant nothing for another.
        public var role: String
        /// `amr`: how the employee authenticated (RFC 8176), such as `pop`, `pwd` and `mfa`.
        public var methods: [String]
        /// `auth_time`: the time of the log-in.
        public var authenticatedAt: Int64

        package init(
            issuer: String, subject: UUID, audience: String, expiresAt: Int64, issuedAt: Int64, id: UUID,
            clientID: UUID, sessionID: UUID, tenantID: UUID, role: String, methods: [String], authenticatedAt: Int64
        ) {
            self.issuer = issuer
            self.subject = subject
            self.audience = audience
            self.expiresAt = expiresAt
            self.issuedAt = issuedAt
            self.id = id
            self.clientID = clientID
            self.sessionID = sessionID
            self.tenantID = tenantID
            self.role = role
            self.methods = methods
            self.authenticatedAt = authenticatedAt
        }
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        self = try reader.bool("active") ? .active(try Claims(json: json, at: pointer)) : .inactive
    }

    /// The response as JSON. For an inactive token it is exactly `{"active":false}`.
    public var json: JSONValue {
        switch self {
        case .inactive: ["active": false]
        case .active(let claims): claims.json
        }
    }
}

extension TokenIntrospectionResponse.Claims: ResponseObject {
    private static let seconds = 0...JSONValue.integerRange.upperBound

    /// The members on the wire.
    public static let members = WireMembers<TokenIntrospectionResponse.Claims>(
        "TokenIntrospectionResponse.Claims", TokenIntrospectionResponse.Claims.init, Member("iss", \.issuer),
        Member("sub", \.subject),
        Member("aud", \.audience), Member("exp", \.expiresAt, .number(seconds)),
        Member("iat", \.issuedAt, .number(seconds)), Member("jti", \.id), Member("client_id", \.clientID),
        Member("sid", \.sessionID), Member("tenant", \.tenantID), Member("role", \.role),
        Member("amr", \.methods, .list()), Member("auth_time", \.authenticatedAt, .number(seconds)))

    /// The members of every active access token.
    public static let constants: [String: JSONValue] = ["active": true, "token_type": "Bearer"]
}
