public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The claims of an access token (RFC 9068 §2.2): who called, for whom the token is, and until when.
public struct AccessTokenClaims: Sendable, Equatable {
    /// `iss`: the URL of the service that issued the token, without a trailing slash.
    public var issuer: String
    /// `sub`: the employee. It stays the same for as long as the employee exists.
    public var subject: UUID
    /// `aud`: the one audience, an app's lower-case UUID or the URI of a resource (RFC 8707).
    public var audience: String
    /// `exp`: the end of the token, in seconds since 1970.
    public var expiresAt: Int64
    /// `iat`: the time of issue, in seconds since 1970.
    public var issuedAt: Int64
    /// `jti`: the token. Use this, not the text of the token, as an identifier.
    public var id: UUID
    /// `client_id`: the app in which the employee logged in.
    public var clientID: UUID
    /// `sid`: the session.
    public var sessionID: UUID
    /// `tenant`: the employee's tenant.
    public var tenantID: UUID
    /// `role`: the role of the session, today `employee`, `admin` or `securityAdmin`. Grant nothing for another value.
    public var role: String
    /// `amr`: how the employee authenticated (RFC 8176), such as `pop`, `pwd` and `mfa`.
    public var methods: [String]
    /// `auth_time`: the time of the log-in, in seconds since 1970.
    public var authenticatedAt: Int64

    /// The claims of one token. Times are in seconds since 1970.
    public init(
        issuer: String, subject: UUID, audience: String, expiresAt: Int64, issuedAt: Int64, id: UUID, clientID: UUID,
        sessionID: UUID, tenantID: UUID, role: String, methods: [String], authenticatedAt: Int64
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

    /// Reads the claims of a token or of an introspection's answer. Other members are ignored (RFC 7519 §4).
    ///
    /// `aud` may also be an array of exactly one string, which RFC 7519 §4.1.3 holds for the same.
    ///
    /// - Throws: ``Canonical/JSONError`` for a claim that is absent, of the wrong type, negative or an empty string.
    public init(json: JSONValue) throws(JSONError) {
        var reader = try ObjectReader(json)
        func text(_ name: String) throws(JSONError) -> String {
            let text = try reader.string(name)
            if text.isEmpty { throw reader.invalid(name, "a text that is not empty is expected") }
            return text
        }
        func seconds(_ name: String) throws(JSONError) -> Int64 {
            try reader.integer(name, in: 0...JSONValue.integerRange.upperBound)
        }
        issuer = try text("iss")
        subject = try reader.uuid("sub")
        audience = try Self.audience(&reader)
        expiresAt = try seconds("exp")
        issuedAt = try seconds("iat")
        id = try reader.uuid("jti")
        clientID = try reader.uuid("client_id")
        sessionID = try reader.uuid("sid")
        tenantID = try reader.uuid("tenant")
        role = try text("role")
        methods = try reader.strings("amr")
        authenticatedAt = try seconds("auth_time")
    }

    private static func audience(_ reader: inout ObjectReader) throws(JSONError) -> String {
        switch try reader.value("aud") {
        case .string(let text) where !text.isEmpty: return text
        case .array(let elements):
            if elements.count == 1, case .string(let text) = elements[0], !text.isEmpty { return text }
        default: break
        }
        throw reader.invalid("aud", "exactly one audience is expected")
    }

    /// The claims as signed, with their registered names.
    public var json: JSONValue {
        [
            "iss": .string(issuer), "sub": .uuid(subject), "aud": .string(audience), "exp": .integer(expiresAt),
            "iat": .integer(issuedAt), "jti": .uuid(id), "client_id": .uuid(clientID), "sid": .uuid(sessionID),
            "tenant": .uuid(tenantID), "role": .string(role), "amr": .array(methods.map { .string($0) }),
            "auth_time": .integer(authenticatedAt),
        ]
    }
}
