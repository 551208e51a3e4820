package import FoundationEssentials
package import Postgres

/// The keys of users and employees in the database, each wrapped under the key of its ``Bucket``.
///
/// ```swift
/// let keys = PersonKeys(pool: pool, masters: masters)
/// let (key, insertion) = try await keys.create(id: employee, ledger: tenant)   // insert with the first append
/// let loaded = try await keys.load([employee], ledger: tenant)[employee]       // nil after an erasure
/// ```
///
/// A user's key is in the user's directory ledger, an employee's in the tenant's ledger. Recently used keys stay in
/// memory for a few seconds, so that a key destroyed by another process is soon forgotten here. ``forget(_:ledger:)``
/// forgets it at once.
package final class PersonKeys: Sendable {
    private let pool: PostgresPool
    private let masters: MasterKeyStore
    private let cache: Lock<KeyCache>

    /// The keys, over a pool.
    ///
    /// - Parameters:
    ///   - pool: Connections of the application role, or of the reader role if keys are only loaded.
    ///   - masters: The store that ``KeyRing/load(from:masters:)`` unwrapped the bucket keys with.
    ///   - cachedKeys: The greatest number of keys kept in memory; 0 keeps none.
    ///   - cacheLifetime: How long a key is kept after it was read.
    package init(
        pool: PostgresPool, masters: MasterKeyStore, cachedKeys: Int = 10_000, cacheLifetime: Duration = .seconds(5)
    ) {
        self.pool = pool
        self.masters = masters
        cache = Lock(KeyCache(capacity: cachedKeys, lifetime: cacheLifetime))
    }

    /// The keys, with fixed master keys.
    package convenience init(
        pool: PostgresPool, masters: MasterKeys, cachedKeys: Int = 10_000, cacheLifetime: Duration = .seconds(5)
    ) {
        self.init(
            pool: pool, masters: MasterKeyStore(masters), cachedKeys: cachedKeys, cacheLifetime: cacheLifetime)
    }

    /// Generates the key of a new person, and returns it with the statement that stores it.
    ///
    /// Run the statement in the transaction that appends the person's first event, with a scope that includes the
    /// ledger. In the rare case that the bucket was rekeyed after this call, it fails with SQLSTATE 23502 (column
    /// `epoch`), and the transaction with it; everything encrypted under the key must then be made again. It fails with
    /// 23505 if the person already has a key.
    ///
    /// - Throws: What reading a bucket key throws, and `PostgresError`.
    package func create(id: UUID, ledger: UUID) async throws -> (key: PersonKey, insertion: SQL) {
        let bucket = Bucket(of: id)
        let (bucketKey, _) = try await pool.withConnection { connection in
            try await BucketKeys(masters: masters).key(of: bucket, on: &connection)
        }
        let key = SecretKey()
        let wrapped = try bucketKey.wrap(key, purpose: Self.purpose, id: id, ledger: ledger)
        let insertion: SQL = """
            SELECT tenure.insert_person_key(
                \(ledger), \(id), \(Int16(bucket.number)), \(Int32(clamping: bucketKey.epoch)), \(wrapped))
            """
        return (PersonKey(id: id, key: key), insertion)
    }

    /// Loads the keys of persons of one ledger, in at most one round trip. Missing and destroyed keys are absent from
    /// the result.
    ///
    /// - Throws: ``KeysError/Code/wrappingInvalid`` if a stored key was changed, what unwrapping a bucket key throws,
    ///   and `PostgresError`.
    package func load(_ ids: [UUID], ledger: UUID) async throws -> [UUID: PersonKey] {
        let now = ContinuousClock.now
        var (found, generation) = cache.withLock { cache in
            var found: [UUID: PersonKey] = [:]
            for id in ids { found[id] = cache.key(.init(ledger: ledger, id: id), at: now) }
            return (found, cache.generation)
        }
        let missing = Array(Set(ids).subtracting(found.keys))
        if missing.isEmpty { return found }
        let loaded = try await Rereading.untilAgreed {
            let rows = try await self.pool.withConnection { connection in
                try await connection.transaction([
                    LedgerSetting.set([ledger]), Self.selection(of: missing, ledger: ledger),
                ])
            }
            return try await self.open(rows.last ?? [], ledger: ledger)
        }
        cache.withLock { cache in
            for (id, key) in loaded {
                cache.insert(key, as: .init(ledger: ledger, id: id), readAt: now, generation: generation)
            }
        }
        found.merge(loaded) { _, new in new }
        return found
    }

    /// Returns the statement that deletes a key. Rekey its bucket afterwards (``BucketRekeying/rekey(_:on:)``).
    ///
    /// Until then the wrapped key can be unwrapped from write-ahead logs and backups. The statement locks the bucket
    /// first, so that it cannot deadlock with a rekeying.
    package static func deletion(of id: UUID, ledger: UUID) -> SQL {
        """
        DELETE FROM tenure.person_key p
        WHERE p.ledger_id = \(ledger) AND p.key_id = \(id) AND EXISTS (
            SELECT 1 FROM tenure.bucket_key b WHERE b.bucket = \(Int16(Bucket(of: id).number)) FOR SHARE)
        """
    }

    /// Removes a key from memory, after its destruction was committed.
    package func forget(_ id: UUID, ledger: UUID) { cache.withLock { $0.forget(.init(ledger: ledger, id: id)) } }

    /// Removes all keys from memory.
    package func forgetAll() { cache.withLock { $0.forgetAll() } }

    /// The purpose that person keys are wrapped for.
    static let purpose = "person"

    /// Returns the query for wrapped keys, which may be sent as part of a pipeline.
    ///
    /// It bypasses the cache. Use it where equal timing matters, because a cached key would reveal that it was used
    /// recently.
    package static func selection(of ids: [UUID], ledger: UUID) -> SQL {
        """
        SELECT p.key_id, p.epoch, p.wrapped, \(BucketKeyRow.columns)
        FROM tenure.person_key p JOIN tenure.bucket_key b ON b.bucket = p.bucket
        WHERE p.ledger_id = \(ledger) AND p.key_id = ANY(\(ids))
        """
    }

    /// Unwraps the rows of ``selection(of:ledger:)``.
    ///
    /// - Throws: ``KeysError/Code/wrappingInvalid`` if a stored key was changed, and what unwrapping a bucket key
    ///   throws.
    package func open(_ rows: [PostgresRow], ledger: UUID) async throws -> [UUID: PersonKey] {
        var buckets = BucketKeys.Opened(try await masters.keys(holding: try BucketKeyRow.versions(rows, from: 3)))
        var keys: [UUID: PersonKey] = [:]
        for row in rows {
            let id = try row.decode(column: 0, as: UUID.self)
            let epoch = try row.decode(column: 1, as: Int32.self)
            let wrapped = try row.decode(column: 2, as: [UInt8].self)
            let bucketRow = try BucketKeyRow(row, from: 3)
            guard Int(epoch) == bucketRow.epoch, bucketRow.bucket == Bucket(of: id) else {
                throw KeysError(code: .wrappingInvalid, reason: "a stored key does not have its bucket's epoch")
            }
            let key = try buckets.key(bucketRow).unwrap(wrapped, purpose: Self.purpose, id: id, ledger: ledger)
            keys[id] = PersonKey(id: id, key: key)
        }
        return keys
    }
}
