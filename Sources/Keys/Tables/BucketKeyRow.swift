import Postgres

/// A row of `tenure.bucket_key` and how it is opened.
struct BucketKeyRow: Sendable {
    var bucket: Bucket
    var epoch: Int
    var masterVersion: Int
    var wrapped: [UInt8]

    /// The columns that ``init(_:from:)`` reads, of the table under the name `b`.
    static let columns: SQL = "b.bucket, b.epoch, b.master_version, b.wrapped"

    /// Reads the columns from a place on.
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

    /// The master versions in rows that have the columns from a place on.
    static func versions(_ rows: [PostgresRow], from column: Int = 0) throws -> Set<Int> {
        Set(try rows.map { Int(try $0.decode(column: column + 2, as: Int32.self)) })
    }

    /// Makes the row of a bucket key under the current master key.
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
