import Postgres

/// The keys of a new installation.
extension KeyRing {
    /// Stores random keys for all purposes and buckets, unless there are keys already.
    ///
    /// - Throws: ``KeysError/Code/bucketKeyMissing`` or ``KeysError/Code/purposeKeyMissing`` if only one kind is there,
    ///   and `PostgresError`.
    static func insertRandom(_ connection: inout PostgresConnection, _ masters: MasterKeys) async throws {
        let ring = KeyRing.random()
        let master = try masters.key(version: masters.current)
        let version = Int32(clamping: masters.current)
        var wrapped: [[UInt8]] = []
        for purpose in KeyPurpose.allCases {
            wrapped.append(try purpose.wrap(master: masters.current).wrap(ring.secret(purpose), under: master))
        }
        // All processes insert in the same order, so that they wait for each other without deadlocks.
        try await connection.execute(
            """
            INSERT INTO tenure.purpose_key (purpose, master_version, wrapped)
            SELECT k.purpose, \(version), k.wrapped
            FROM unnest(\(KeyPurpose.allCases.map(\.rawValue)), \(wrapped)) AS k (purpose, wrapped)
            ORDER BY k.purpose COLLATE "C" ON CONFLICT DO NOTHING
            """)
        let rows = try Bucket.all.map { bucket in
            try BucketKeyRow(wrapping: BucketKey(bucket: bucket, epoch: 1, key: SecretKey()), under: masters)
        }
        let wrappedBuckets = rows.map(\.wrapped)
        try await connection.execute(
            """
            INSERT INTO tenure.bucket_key (bucket, epoch, master_version, wrapped)
            SELECT k.bucket, 1, \(version), k.wrapped
            FROM unnest(\(rows.map { Int16($0.bucket.number) }), \(wrappedBuckets)) AS k (bucket, wrapped)
            ORDER BY k.bucket ON CONFLICT DO NOTHING
            """)
        // Either all keys or none must be new here. Otherwise new keys would mix with those of a restore in progress. The
        // stored keys tell: a distributed database counts the rows that were sent.
        let found = try await connection.query(
            """
            SELECT (SELECT count(*) FROM tenure.purpose_key WHERE wrapped = ANY (\(wrapped))),
                (SELECT count(*) FROM tenure.bucket_key WHERE wrapped = ANY (\(wrappedBuckets)))
            """)
        guard let (purposes, buckets) = try found.first?.decode(Int64.self, Int64.self) else { return }
        let inserted = (Int(purposes), Int(buckets))
        guard inserted == (KeyPurpose.allCases.count, rows.count) || inserted == (0, 0) else {
            throw KeysError(
                code: purposes == 0 ? .bucketKeyMissing : .purposeKeyMissing,
                reason: "another program stored keys while the first ones were created",
                remedy: "wait until a running restore ends, then start the service")
        }
    }
}
