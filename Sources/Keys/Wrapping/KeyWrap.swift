import Crypto

/// A key sealed under another key, bound to the row it is stored in.
///
/// The bytes are nonce (12) ‖ cipher text (32) ‖ tag (16) of AES-256-GCM. The associated data is the
/// ``LengthPrefixed`` list of `tenure/v1/wrap`, purpose, id, owner and version (eight bytes), so that a wrapped key
/// that is copied to another row, another owner or another version does not open:
///
/// | row | purpose | id | owner | version |
/// |---|---|---|---|---|
/// | bucket key | `bucket` | bucket (1 byte) ‖ epoch (8 bytes) | empty | master version |
/// | purpose key | `purpose/<name>` | empty | empty | master version |
/// | person key | `person` | key id (16) | ledger (16) | epoch of the bucket |
/// | seed | `oprf/answers`, `oprf/passphrase` | credential id (16) | ledger (16) | epoch of the bucket |
struct KeyWrap: Sendable, Equatable {
    /// The length of every wrapped key, in bytes.
    static let byteCount = SecretKey.byteCount + SealedBytes.overhead

    var purpose: String
    var id: [UInt8]
    var owner: [UInt8]
    var version: Int

    var associatedData: [UInt8] {
        var list = LengthPrefixed(tag: "tenure/v1/wrap")
        list.append(purpose)
        list.append(id)
        list.append(owner)
        list.append(number: version)
        return list.bytes
    }

    /// Wraps a key; the nonce is random unless a test fixes it.
    func wrap(
        _ key: SecretKey, under wrapping: SecretKey, nonce: AES.GCM.Nonce = AES.GCM.Nonce()
    ) throws(KeysError) -> [UInt8] {
        try SealedBytes.seal(key.bytes, under: wrapping.symmetric, authenticating: associatedData, nonce: nonce)
    }

    /// Unwraps, or nil when anything at all is not as it was.
    func unwrap(_ wrapped: [UInt8], under wrapping: SecretKey) -> SecretKey? {
        guard wrapped.count == Self.byteCount,
            let clear = SealedBytes.open(wrapped, under: wrapping.symmetric, authenticating: associatedData)
        else { return nil }
        return SecretKey(bytes: clear)
    }
}
