import Canonical
package import Crypto
import FoundationEssentials

/// A secret of 32 bytes: a key, or a seed that keys are derived from.
///
/// It prints, dumps and interpolates as `[redacted]` and compares in constant time. Its memory is cleared when the last
/// copy is released.
package struct SecretKey: Sendable, Equatable, Redacted {
    /// The length of every secret key, in bytes.
    package static let byteCount = 32

    /// The bytes as the cryptography library's type.
    package let symmetric: SymmetricKey

    /// Generates a random key.
    package init() { symmetric = SymmetricKey(size: .bits256) }

    /// A key of exactly 32 bytes. Returns `nil` for any other length.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        symmetric = SymmetricKey(data: bytes)
    }

    /// A key that is known to have 32 bytes.
    init(ofRightSize symmetric: SymmetricKey) { self.symmetric = symmetric }

    /// The 32 bytes as a plain copy, in memory that is not cleared, for functions that take bytes.
    package var bytes: [UInt8] { symmetric.withUnsafeBytes { Array($0) } }
}

/// The wrapping of a key under another one, bound to the row it is stored in.
///
/// The bytes are nonce (12) ‖ ciphertext (32) ‖ tag (16) of AES-256-GCM. The associated data is the ``LengthPrefixed``
/// list of `tenure/v1/wrap`, purpose, id, owner and version (eight bytes). A wrapped key copied to another row, owner
/// or version can therefore not be unwrapped:
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

    /// Wraps a key. Tests may fix the nonce, which is random otherwise.
    func wrap(
        _ key: SecretKey, under wrapping: SecretKey, nonce: AES.GCM.Nonce = AES.GCM.Nonce()
    ) throws(KeysError) -> [UInt8] {
        try SealedBytes.seal(key.bytes, under: wrapping.symmetric, authenticating: associatedData, nonce: nonce)
    }

    /// Unwraps a key. Returns `nil` if anything has changed.
    func unwrap(_ wrapped: [UInt8], under wrapping: SecretKey) -> SecretKey? {
        guard wrapped.count == Self.byteCount,
            let clear = SealedBytes.open(wrapped, under: wrapping.symmetric, authenticating: associatedData)
        else { return nil }
        return SecretKey(bytes: clear)
    }
}

/// An unambiguous encoding of a list of byte strings.
///
/// Every part follows its length as four bytes, big endian. So `("ab", "c")` and `("a", "bc")` differ, and no part can
/// pass for two. Message authentication codes and associated data use it wherever the documentation does not define
/// other bytes.
struct LengthPrefixed: Sendable {
    private(set) var bytes: [UInt8] = []

    /// A list that starts with a tag, which names the use of the bytes.
    init(tag: String) { append(tag) }

    mutating func append(_ part: some Collection<UInt8>) {
        bytes += Self.length(UInt32(truncatingIfNeeded: part.count))
        bytes.append(contentsOf: part)
    }

    mutating func append(_ part: String) { append(Array(part.utf8)) }

    /// Appends a part of eight bytes, big endian.
    mutating func append(number: Int) {
        append((0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }

    /// The four bytes of a length, big endian.
    static func length(_ length: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> ($0 as UInt32)) }
    }
}

/// The stored form of AES-256-GCM: nonce (12) ‖ ciphertext ‖ tag (16).
enum SealedBytes {
    /// How many bytes encryption adds to the plaintext.
    static let overhead = 28

    /// Encrypts bytes. Tests may fix the nonce, which is random otherwise.
    ///
    /// - Throws: ``KeysError/Code/cipherFailed``, which cannot occur with a key of 32 bytes.
    static func seal(
        _ clear: [UInt8], under key: SymmetricKey, authenticating data: [UInt8], nonce: AES.GCM.Nonce = AES.GCM.Nonce()
    ) throws(KeysError) -> [UInt8] {
        guard let box = try? AES.GCM.seal(clear, using: key, nonce: nonce, authenticating: data) else {
            throw KeysError(code: .cipherFailed, reason: "the cipher refused to seal")
        }
        return Array(nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// Decrypts bytes. Returns `nil` on any failure, without a reason.
    static func open(_ sealed: [UInt8], under key: SymmetricKey, authenticating data: [UInt8]) -> [UInt8]? {
        guard sealed.count >= overhead, let box = try? AES.GCM.SealedBox(combined: sealed),
            let clear = try? AES.GCM.open(box, using: key, authenticating: data)
        else { return nil }
        return Array(clear)
    }
}
