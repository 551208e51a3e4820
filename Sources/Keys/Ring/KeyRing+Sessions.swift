extension KeyRing {
    /// The 32 bytes by which a session token is stored and found: whoever reads the table has no token.
    ///
    /// HMAC-SHA-256 under the sessions key over the length-prefixed list of `tenure/v1/session-token`, the kind and
    /// the token.
    ///
    /// - Parameters:
    ///   - kind: Which token it is, `access` or `refresh`: one is of no use in the place of the other.
    ///   - token: The bytes of the token.
    public func sessionTokenDigest(kind: String, _ token: [UInt8]) -> [UInt8] {
        var message = LengthPrefixed(tag: "tenure/v1/session-token")
        message.append(kind)
        message.append(token)
        return authenticationCode(message.bytes, .sessions)
    }
}
