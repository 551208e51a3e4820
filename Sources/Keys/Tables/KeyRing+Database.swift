public import Postgres

extension KeyRing {
    /// Loads the keys of the installation, and makes all of them when this is the first start.
    ///
    /// The purpose keys and the 256 bucket keys are made in one transaction; of processes that start at once exactly
    /// one's keys are stored, and all of them have those. All bucket keys are opened once, so that a wrong master key
    /// is found here and not with the first person. Nothing is ever replaced: keys that are partly gone are an error,
    /// because a new lookup key, say, would let every name be claimed again.
    ///
    /// - Throws: ``KeysError/Code/wrongMasterKey``, ``KeysError/Code/masterVersionUnknown``,
    ///   ``KeysError/Code/purposeKeyMissing``, ``KeysError/Code/bucketKeyMissing``, and `PostgresError`.
    public static func load(from pool: PostgresPool, masters: MasterKeyStore) async throws -> KeyRing {
        try await pool.withTransaction { connection in
            if let ring = try await read(&connection, masters) { return ring }
            try await insertRandom(&connection, masters.keys)
            // What another process inserted first is what is read: its commit is what our insert has waited for.
            guard let ring = try await read(&connection, masters) else {
                throw KeysError(code: .purposeKeyMissing, reason: "the keys were inserted and are not there")
            }
            return ring
        }
    }

    /// The same with master keys that stay as they are.
    public static func load(from pool: PostgresPool, masters: MasterKeys) async throws -> KeyRing {
        try await load(from: pool, masters: MasterKeyStore(masters))
    }

    /// The ring, or nil when no key of any kind is stored.
    private static func read(
        _ connection: inout PostgresConnection, _ store: MasterKeyStore
    ) async throws -> KeyRing? {
        var results = try await rows(&connection)
        // Each statement sees what was committed before it. Of keys that another process committed between the two, a
        // second look sees all.
        if results.first?.isEmpty != results.last?.isEmpty { results = try await rows(&connection) }
        guard let purposes = results.first, let buckets = results.last, !(purposes.isEmpty && buckets.isEmpty) else {
            return nil
        }
        let versions = Set(try purposes.map { Int(try $0.decode(column: 1, as: Int32.self)) })
        let masters = try await store.keys(holding: versions.union(try BucketKeyRow.versions(buckets)))
        var keys: [KeyPurpose: SecretKey] = [:]
        for row in purposes {
            let (name, version, wrapped) = try row.decode(String.self, Int32.self, [UInt8].self)
            // A purpose of a later version of the program is not ours to read.
            guard let purpose = KeyPurpose(rawValue: name) else { continue }
            let master = try masters.key(version: Int(version))
            guard let key = purpose.wrap(master: Int(version)).unwrap(wrapped, under: master) else {
                throw KeysError.wrongMasterKey(version: Int(version))
            }
            keys[purpose] = key
        }
        let opened = Set(try buckets.map { try BucketKeyRow($0).open(masters).bucket })
        for bucket in Bucket.all where !opened.contains(bucket) {
            throw KeysError(
                code: .bucketKeyMissing, reason: "bucket \(bucket.number) has no key",
                remedy: "restore the key tables from a backup: a new key opens nothing that was sealed before")
        }
        return try KeyRing(keys)
    }

    private static func rows(_ connection: inout PostgresConnection) async throws -> [[PostgresRow]] {
        try await connection.pipeline([
            "SELECT purpose, master_version, wrapped FROM tenure.purpose_key",
            "SELECT \(BucketKeyRow.columns) FROM tenure.bucket_key b",
        ])
    }

    private static func insertRandom(_ connection: inout PostgresConnection, _ masters: MasterKeys) async throws {
        let ring = KeyRing.random()
        let master = try masters.key(version: masters.current)
        let version = Int32(clamping: masters.current)
        var wrapped: [[UInt8]] = []
        for purpose in KeyPurpose.allCases {
            wrapped.append(try purpose.wrap(master: masters.current).wrap(ring.secret(purpose), under: master))
        }
        // Everybody inserts in the same order, so that of two the second waits for the first and never the reverse.
        let purposes = try await connection.execute(
            """
            INSERT INTO tenure.purpose_key (purpose, master_version, wrapped)
            SELECT k.purpose, \(version), k.wrapped
            FROM unnest(\(KeyPurpose.allCases.map(\.rawValue)), \(wrapped)) AS k (purpose, wrapped)
            ORDER BY k.purpose COLLATE "C" ON CONFLICT DO NOTHING
            """)
        let rows = try Bucket.all.map { bucket in
            try BucketKeyRow(wrapping: BucketKey(bucket: bucket, epoch: 1, key: SecretKey()), under: masters)
        }
        let buckets = try await connection.execute(
            """
            INSERT INTO tenure.bucket_key (bucket, epoch, master_version, wrapped)
            SELECT k.bucket, 1, \(version), k.wrapped
            FROM unnest(\(rows.map { Int16($0.bucket.number) }), \(rows.map(\.wrapped))) AS k (bucket, wrapped)
            ORDER BY k.bucket ON CONFLICT DO NOTHING
            """)
        // Ours are all of them or none, or new keys would stand beside those that somebody is just restoring.
        let inserted = (purposes, buckets)
        guard inserted == (KeyPurpose.allCases.count, rows.count) || inserted == (0, 0) else {
            throw KeysError(
                code: purposes == 0 ? .bucketKeyMissing : .purposeKeyMissing,
                reason: "keys were stored by another hand while the first ones were made",
                remedy: "let the restore end, then start the service")
        }
    }
}
