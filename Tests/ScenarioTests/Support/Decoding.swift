import Canonical
import Testing

/// The bytes of a base64 member; a test without them cannot go on.
func bytes(base64 text: String?, sourceLocation: SourceLocation = #_sourceLocation) throws -> [UInt8] {
    let text = try #require(text, sourceLocation: sourceLocation)
    return try #require(Base64.decode(text), sourceLocation: sourceLocation)
}

/// The bytes of an unpadded base64url member.
func bytes(base64url text: String?, sourceLocation: SourceLocation = #_sourceLocation) throws -> [UInt8] {
    let text = try #require(text, sourceLocation: sourceLocation)
    return try #require(Base64URL.decode(text), sourceLocation: sourceLocation)
}
