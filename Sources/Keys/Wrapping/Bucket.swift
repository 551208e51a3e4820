import Canonical
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One of the 256 groups whose keys are wrapped under one bucket key.
///
/// A person's key, and a credential's seeds, belong to the bucket that is the first byte of SHA-256 over the 16 bytes
/// of their id: evenly spread whatever the kind of id. In SQL: `get_byte(sha256(uuid_send(id)), 0)`.
public struct Bucket: Sendable, Hashable, Comparable {
    /// All buckets in order.
    public static let all = (0...255).map { Bucket(number: UInt8($0)) }

    /// The number of the bucket.
    public let number: UInt8

    /// Makes the bucket of a number.
    public init(number: UInt8) { self.number = number }

    /// Makes the bucket to which an id belongs.
    public init(of id: UUID) {
        number = Array(SHA256.hash(data: id.bytes))[0]
    }

    /// Whether the first bucket has the lower number.
    public static func < (left: Bucket, right: Bucket) -> Bool { left.number < right.number }
}

/// The key of one bucket in one epoch: what person keys and seeds are wrapped under.
struct BucketKey: Sendable, Equatable {
    var bucket: Bucket
    /// Counts the keys this bucket has had, from 1; a re-keying makes the next one.
    var epoch: Int
    var key: SecretKey

    /// How the bucket key itself is wrapped under a master key.
    static func wrap(_ bucket: Bucket, epoch: Int, master version: Int) -> KeyWrap {
        let epochBytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: epoch >> ($0 * 8)) }
        return KeyWrap(purpose: "bucket", id: [bucket.number] + epochBytes, owner: [], version: version)
    }

    /// Wraps what belongs to the bucket.
    func wrap(_ key: SecretKey, purpose: String, id: UUID, ledger: UUID) throws(KeysError) -> [UInt8] {
        try wrapping(purpose: purpose, id: id, ledger: ledger).wrap(key, under: self.key)
    }

    /// Unwraps what belongs to the bucket.
    ///
    /// - Throws: ``KeysError/Code/wrappingInvalid`` when it was changed or moved.
    func unwrap(_ wrapped: [UInt8], purpose: String, id: UUID, ledger: UUID) throws(KeysError) -> SecretKey {
        guard let key = wrapping(purpose: purpose, id: id, ledger: ledger).unwrap(wrapped, under: key) else {
            throw KeysError(code: .wrappingInvalid, reason: "a stored key was changed or is not in its place")
        }
        return key
    }

    private func wrapping(purpose: String, id: UUID, ledger: UUID) -> KeyWrap {
        KeyWrap(purpose: purpose, id: id.bytes, owner: ledger.bytes, version: epoch)
    }
}
