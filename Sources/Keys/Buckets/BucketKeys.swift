import Canonical
import Crypto
package import FoundationEssentials
import Postgres

/// One of the 256 groups whose keys are wrapped under one bucket key.
///
/// The first byte of SHA-256 over the 16 bytes of an id chooses the bucket of a person key or of a credential's seeds.
/// This spreads all kinds of ids evenly. In SQL: `get_byte(sha256(uuid_send(id)), 0)`.
package struct Bucket: Sendable, Hashable, Comparable {
    /// All buckets in order.
    package static let all = (0...255).map { Bucket(number: UInt8($0)) }

    package let number: UInt8

    package init(number: UInt8) { self.number = number }

    /// The bucket that an id belongs to.
    package init(of id: UUID) {
        number = Array(SHA256.hash(data: id.bytes))[0]
    }

    /// Whether the first bucket has the lower number.
    package static func < (left: Bucket, right: Bucket) -> Bool { left.number < right.number }
}

/// The key of one bucket in one epoch, under which person keys and seeds are wrapped.
struct BucketKey: Sendable, Equatable {
    var bucket: Bucket
    /// The number of this key among the bucket's keys, from 1. A rekeying increments it.
    var epoch: Int
    var key: SecretKey

    /// Describes how the bucket key itself is wrapped under a master key.
    static func wrap(_ bucket: Bucket, epoch: Int, master version: Int) -> KeyWrap {
        let epochBytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: epoch >> ($0 * 8)) }
        return KeyWrap(purpose: "bucket", id: [bucket.number] + epochBytes, owner: [], version: version)
    }

    /// Wraps a key or a seed of the bucket.
    func wrap(_ key: SecretKey, purpose: String, id: UUID, ledger: UUID) throws(KeysError) -> [UInt8] {
        try wrapping(purpose: purpose, id: id, ledger: ledger).wrap(key, under: self.key)
    }

    /// Unwraps a key or a seed of the bucket.
    ///
    /// - Throws: ``KeysError/Code/wrappingInvalid`` if it was changed or moved.
    func unwrap(_ wrapped: [UInt8], purpose: String, id: UUID, ledger: UUID) throws(KeysError) -> SecretKey {
        guard let key = wrapping(purpose: purpose, id: id, ledger: ledger).unwrap(wrapped, under: key) else {
            throw KeysError(code: .wrappingInvalid, reason: "a stored key was changed or moved to another row")
        }
        return key
    }

    private func wrapping(purpose: String, id: UUID, ledger: UUID) -> KeyWrap {
        KeyWrap(purpose: purpose, id: id.bytes, owner: ledger.bytes, version: epoch)
    }
}

/// A row of `tenure.bucket_key`.
struct BucketKeyRow: Sendable {
    var bucket: Bucket
    var epoch: Int
    var masterVersion: Int
    var wrapped: [UInt8]

    /// The columns that ``init(_:from:)`` reads; the table is called `b`.
    static let columns: SQL = "b.bucket, b.epoch, b.master_version, b.wrapped"

    /// Reads the columns, starting at an index.
    init(_ row: PostgresRow, from column: Int = 0) throws {
        let number = try row.decode(column: column, as: Int16.self)
        guard let byte = UInt8(exactly: number) else {
            throw KeysError(code: .wrappingInvalid, reason: "a bucket is out of range")
        }
        bucket = Bucket(number: byte)
        epoch = Int(try row.decode(column: column + 1, as: Int32.self))
        masterVersion = Int(try row.decode(column: column + 2, as: Int32.self))
        wrapped = try row.decode(column: column + 3, as: [UInt8].self)
    }

    /// The master key versions in rows that have the columns at an index.
    static func versions(_ rows: [PostgresRow], from column: Int = 0) throws -> Set<Int> {
        Set(try rows.map { Int(try $0.decode(column: column + 2, as: Int32.self)) })
    }

    /// Wraps a bucket key under the current master key.
    init(wrapping key: BucketKey, under masters: MasterKeys) throws(KeysError) {
        bucket = key.bucket
        epoch = key.epoch
        masterVersion = masters.current
        wrapped = try BucketKey.wrap(key.bucket, epoch: key.epoch, master: masters.current)
            .wrap(key.key, under: try masters.key(version: masters.current))
    }

    /// Unwraps the bucket's key.
    ///
    /// - Throws: ``KeysError/Code/masterVersionUnknown`` and ``KeysError/Code/wrongMasterKey``.
    func open(_ masters: MasterKeys) throws(KeysError) -> BucketKey {
        let wrap = BucketKey.wrap(bucket, epoch: epoch, master: masterVersion)
        guard let key = wrap.unwrap(wrapped, under: try masters.key(version: masterVersion)) else {
            throw KeysError.wrongMasterKey(version: masterVersion)
        }
        return BucketKey(bucket: bucket, epoch: epoch, key: key)
    }
}

extension KeysError {
    static func wrongMasterKey(version: Int) -> KeysError {
        KeysError(
            code: .wrongMasterKey, reason: "the stored keys do not open under version \(version) of the master keys",
            remedy: "start with the master keys that this database was first started with, or with the right database")
    }
}

/// Reads bucket keys. None stays in memory longer than the call that needs it, so a destroyed key is gone at once.
struct BucketKeys: Sendable {
    let masters: MasterKeyStore

    /// Returns the key of one bucket.
    ///
    /// - Throws: ``KeysError/Code/bucketKeyMissing``, what unwrapping throws, and `PostgresError`.
    func key(of bucket: Bucket, on connection: inout PostgresConnection, forUpdate: Bool = false) async throws
        -> (key: BucketKey, masterVersion: Int)
    {
        let lock: SQL = forUpdate ? " FOR UPDATE" : ""
        let rows = try await connection.query(
            """
            SELECT \(BucketKeyRow.columns) FROM tenure.bucket_key b WHERE b.bucket = \(Int16(bucket.number))\(lock)
            """)
        guard let first = rows.first else {
            throw KeysError(code: .bucketKeyMissing, reason: "bucket \(bucket.number) has no key")
        }
        let row = try BucketKeyRow(first)
        return (try row.open(try await masters.keys(holding: [row.masterVersion])), row.masterVersion)
    }

    /// The bucket keys of a result, each unwrapped once.
    struct Opened {
        let masters: MasterKeys
        private var keys: [Bucket: BucketKey] = [:]

        init(_ masters: MasterKeys) { self.masters = masters }

        mutating func key(_ row: BucketKeyRow) throws(KeysError) -> BucketKey {
            if let key = keys[row.bucket], key.epoch == row.epoch { return key }
            let key = try row.open(masters)
            keys[row.bucket] = key
            return key
        }
    }
}
