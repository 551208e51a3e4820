public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The body of `POST /v1/sessions/refresh`.
public struct SessionRefreshRequest: Sendable, Equatable, RequestObject, RedactedDescription {
    /// The refresh token, valid for a single use.
    public var refreshToken: String

    /// Describes a refresh of a session.
    public init(refreshToken: String) { self.refreshToken = refreshToken }

    /// The members on the wire.
    public static let members = WireMembers<SessionRefreshRequest>(
        "SessionRefreshRequest", SessionRefreshRequest.init, Member("refreshToken", \.refreshToken))
}

/// The tokens of a session.
public struct SessionResponse: Sendable, Equatable, ResponseObject, RedactedDescription {
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

    package init(
        accessToken: String, expiresAt: Timestamp, refreshToken: String, credentialsChangeRequired: Bool = false,
        notices: [NoticeResponse] = []
    ) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
        self.credentialsChangeRequired = credentialsChangeRequired
        self.notices = notices
    }

    /// The members on the wire.
    public static let members = WireMembers<SessionResponse>(
        "SessionResponse", SessionResponse.init, Member("accessToken", \.accessToken),
        Member("expiresAt", \.expiresAt), Member("refreshToken", \.refreshToken),
        Member(optional: "credentialsChangeRequired", \.credentialsChangeRequired, .flag, absent: false),
        Member(optional: "notices", \.notices, .list(), absent: []))
}

/// One open session of the caller.
public struct OpenSessionResponse: Sendable, Equatable, ResponseObject {
    /// The id of the session.
    public var sessionId: UUID
    /// The fingerprint of the device key that opened the session.
    public var fingerprint: String
    /// The comparison words of the fingerprint, as pages and terminals show them.
    public var words: String
    /// The time when the session was opened.
    public var createdAt: Timestamp
    /// The time when the session's refresh token expires.
    public var expiresAt: Timestamp
    /// Whether this is the session of the request.
    public var isCurrent: Bool

    package init(
        sessionId: UUID, fingerprint: String, words: String = "", createdAt: Timestamp, expiresAt: Timestamp,
        isCurrent: Bool
    ) {
        self.sessionId = sessionId
        self.fingerprint = fingerprint
        self.words = words.isEmpty ? FingerprintWords(hex: fingerprint).text : words
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.isCurrent = isCurrent
    }

    /// The members on the wire.
    public static let members = WireMembers<OpenSessionResponse>(
        "OpenSessionResponse", OpenSessionResponse.init, Member("sessionId", \.sessionId),
        Member("fingerprint", \.fingerprint), Member("words", \.words), Member("createdAt", \.createdAt),
        Member("expiresAt", \.expiresAt), Member("isCurrent", \.isCurrent))
}
