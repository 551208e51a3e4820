import Postgres

/// Reads bucket keys; none stays in memory longer than the call that needs it, so a destroyed one is gone at once.
struct BucketKeys: Sendable {
    let masters: MasterKeyStore

    /// The key of one bucket.
    ///
    /// - Throws: ``KeysError/Code/bucketKeyMissing``, what opening throws, and `PostgresError`.
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

    /// The epoch of a bucket as an expression for an INSERT, null when the bucket has been re-keyed since.
    ///
    /// The row lock holds off a re-keying until the inserting transaction has ended: nothing can be left behind that is
    /// wrapped under a destroyed key. Null is refused by the column, which makes the whole transaction fail with 23502.
    static func epochGuard(_ key: BucketKey) -> SQL {
        """
        (SELECT b.epoch FROM tenure.bucket_key b
         WHERE b.bucket = \(Int16(key.bucket.number)) AND b.epoch = \(Int32(clamping: key.epoch)) FOR SHARE)
        """
    }

    /// Opens each bucket of a result once.
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
