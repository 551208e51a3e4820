import Crypto

extension KeyRing {
    /// The 32 bytes by which a caller's `Idempotency-Key` is found; the key itself is stored nowhere.
    ///
    /// HMAC-SHA-256 under the idempotency key over the length-prefixed list of `tenure/v1/idempotency-key`, scope, key.
    ///
    /// - Parameter scope: Who calls, such as the bytes of the app's id: two callers may choose one key.
    public func idempotencyDigest(key raw: [UInt8], scope: [UInt8]) -> [UInt8] {
        var message = LengthPrefixed(tag: "tenure/v1/idempotency-key")
        message.append(scope)
        message.append(raw)
        return authenticationCode(message.bytes, .idempotency)
    }

    /// The 32 bytes that tell a request with the same key and another body.
    ///
    /// A bare hash of a body that holds answers could be guessed at offline by whoever has the table; this needs the
    /// idempotency key. HMAC-SHA-256 over the length-prefixed list of `tenure/v1/idempotency-body` and the parts.
    ///
    /// - Parameter parts: Scope, method, path and body, in an order that the caller keeps.
    public func idempotencyFingerprint(_ parts: [[UInt8]]) -> [UInt8] {
        var message = LengthPrefixed(tag: "tenure/v1/idempotency-body")
        for part in parts { message.append(part) }
        return authenticationCode(message.bytes, .idempotency)
    }

    /// Seals an answer that is kept for a repeated request: nonce (12) ‖ cipher text ‖ tag (16).
    ///
    /// AES-256-GCM under HKDF-SHA-256(idempotency key, salt: raw `Idempotency-Key`, info: length-prefixed
    /// `tenure/v1/idempotency-answer`, scope), with ``idempotencyDigest(key:scope:)`` as associated data. Only a caller
    /// that sends the key again can have it opened, and only in the row it was stored in.
    public func sealAnswer(_ clear: [UInt8], key raw: [UInt8], scope: [UInt8]) throws(KeysError) -> [UInt8] {
        let data = idempotencyDigest(key: raw, scope: scope)
        return try SealedBytes.seal(clear, under: answerKey(raw, scope), authenticating: data)
    }

    /// Opens what ``sealAnswer(_:key:scope:)`` sealed.
    ///
    /// - Throws: ``KeysError/Code/sealInvalid``.
    public func openAnswer(_ sealed: [UInt8], key raw: [UInt8], scope: [UInt8]) throws(KeysError) -> [UInt8] {
        let data = idempotencyDigest(key: raw, scope: scope)
        guard let clear = SealedBytes.open(sealed, under: answerKey(raw, scope), authenticating: data) else {
            throw KeysError(code: .sealInvalid, reason: "a stored answer does not open")
        }
        return clear
    }

    private func answerKey(_ raw: [UInt8], _ scope: [UInt8]) -> SymmetricKey {
        var info = LengthPrefixed(tag: "tenure/v1/idempotency-answer")
        info.append(scope)
        return derivedKey(.idempotency, salt: raw, info: info.bytes)
    }
}
