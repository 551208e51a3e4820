public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The body of `POST /v1/sessions/refresh`.
public struct SessionRefreshRequest: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The refresh token, valid for a single use.
    public var refreshToken: String

    /// Describes a refresh of a session.
    public init(refreshToken: String) { self.refreshToken = refreshToken }

    /// Reads a request and rejects unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        refreshToken = try reader.string("refreshToken")
        try reader.finish()
    }

    /// The body as JSON.
    public var json: JSONValue { ["refreshToken": .string(refreshToken)] }

    /// Always `[redacted]`, so that no token reaches a log.
    public var description: String { "[redacted]" }
}

/// The tokens of a session.
public struct SessionResponse: Sendable, Equatable, JSONConvertible, CustomStringConvertible {
    /// The access token: a signed JWT (RFC 9068).
    public var accessToken: String
    /// The time when the access token expires.
    public var expiresAt: Timestamp
    /// The refresh token, unpadded base64url; valid for a single use.
    public var refreshToken: String
    /// Whether the user must change the credentials before another device can be added. Set by a log-in only.
    public var credentialsChangeRequired: Bool
    /// Notices for the owner of the account. Absent on the wire if there are none.
    public var notices: [NoticeResponse]

    /// Creates a value from its members.
    public init(
        accessToken: String, expiresAt: Timestamp, refreshToken: String, credentialsChangeRequired: Bool = false,
        notices: [NoticeResponse] = []
    ) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
        self.credentialsChangeRequired = credentialsChangeRequired
        self.notices = notices
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        accessToken = try reader.string("accessToken")
        expiresAt = try reader.timestamp("expiresAt")
        refreshToken = try reader.string("refreshToken")
        credentialsChangeRequired = try reader.optionalBool("credentialsChangeRequired") ?? false
        notices = try reader.optionalWire("notices") ?? []
    }

    /// The response as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "accessToken": .string(accessToken), "expiresAt": .timestamp(expiresAt),
            "refreshToken": .string(refreshToken),
            "credentialsChangeRequired": credentialsChangeRequired ? .bool(true) : nil,
            "notices": notices.isEmpty ? nil : notices.json,
        ])
    }

    /// Always `[redacted]`, so that no token reaches a log.
    public var description: String { "[redacted]" }
}

/// One open session of the caller.
public struct OpenSessionResponse: Sendable, Equatable, JSONConvertible {
    /// The id of the session.
    public var sessionId: UUID
    /// The fingerprint of the device key that opened the session.
    public var fingerprint: String
    /// The time when the session was opened.
    public var createdAt: Timestamp
    /// The time when the session's refresh token expires.
    public var expiresAt: Timestamp
    /// Whether this is the session of the request.
    public var isCurrent: Bool

    /// Creates a value from its members.
    public init(
        sessionId: UUID, fingerprint: String, createdAt: Timestamp, expiresAt: Timestamp, isCurrent: Bool
    ) {
        self.sessionId = sessionId
        self.fingerprint = fingerprint
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.isCurrent = isCurrent
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        sessionId = try reader.uuid("sessionId")
        fingerprint = try reader.string("fingerprint")
        createdAt = try reader.timestamp("createdAt")
        expiresAt = try reader.timestamp("expiresAt")
        isCurrent = try reader.bool("isCurrent")
    }

    /// The response as JSON.
    public var json: JSONValue {
        [
            "sessionId": .uuid(sessionId), "fingerprint": .string(fingerprint), "createdAt": .timestamp(createdAt),
            "expiresAt": .timestamp(expiresAt), "isCurrent": .bool(isCurrent),
        ]
    }
}
