public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One open session of the caller.
public struct OpenSessionResponse: Sendable, Equatable, JSONConvertible {
    /// The session.
    public var sessionId: UUID
    /// The fingerprint of the key that opened it.
    public var fingerprint: String
    /// When it was opened.
    public var createdAt: Timestamp
    /// When its refresh token ends.
    public var expiresAt: Timestamp
    /// Whether it is the caller's own.
    public var isCurrent: Bool

    /// Describes one.
    public init(
        sessionId: UUID, fingerprint: String, createdAt: Timestamp, expiresAt: Timestamp, isCurrent: Bool
    ) {
        self.sessionId = sessionId
        self.fingerprint = fingerprint
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.isCurrent = isCurrent
    }

    /// Reads a response; members it does not know are ignored.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        sessionId = try reader.uuid("sessionId")
        fingerprint = try reader.string("fingerprint")
        createdAt = try reader.timestamp("createdAt")
        expiresAt = try reader.timestamp("expiresAt")
        isCurrent = try reader.bool("isCurrent")
    }

    /// The response.
    public var json: JSONValue {
        [
            "sessionId": .uuid(sessionId), "fingerprint": .string(fingerprint), "createdAt": .timestamp(createdAt),
            "expiresAt": .timestamp(expiresAt), "isCurrent": .bool(isCurrent),
        ]
    }
}
