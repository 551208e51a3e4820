public import Postgres

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The keys of users and employees in the database, each wrapped under the key of its ``Bucket``.
///
/// A user's key is in the user's directory ledger, an employee's in the tenant's; its id is the user's or employee's.
/// Keys that were used lately stay in memory for seconds at most, so that a key destroyed by another process is soon
/// forgotten here; ``forget(_:ledger:)`` does it at once.
public final class PersonKeys: Sendable {
    private let pool: PostgresPool
    private let masters: MasterKeyStore
    private let cache: Lock<KeyCache>

    /// Makes an access to the keys.
    ///
    /// - Parameters:
    ///   - pool: Connections of the application's role, or of the reader's role where keys are only loaded.
    ///   - masters: Those that ``KeyRing/load(from:masters:)`` has opened the bucket keys with.
    ///   - cachedKeys: The greatest number of keys kept in memory; 0 keeps none.
    ///   - cacheLifetime: How long a key is kept after it was read.
    public init(
        pool: PostgresPool, masters: MasterKeyStore, cachedKeys: Int = 10_000, cacheLifetime: Duration = .seconds(5)
    ) {
        self.pool = pool
        self.masters = masters
        cache = Lock(KeyCache(capacity: cachedKeys, lifetime: cacheLifetime))
    }

    /// Makes an access with master keys that stay as they are.
    public convenience init(
        pool: PostgresPool, masters: MasterKeys, cachedKeys: Int = 10_000, cacheLifetime: Duration = .seconds(5)
    ) {
        self.init(
            pool: pool, masters: MasterKeyStore(masters), cachedKeys: cachedKeys, cacheLifetime: cacheLifetime)
    }

    /// Makes the key of a new person, and the statement that stores it.
    ///
    /// The statement belongs into the transaction that appends the person's first event, whose `tenure.ledgers` names
    /// the ledger. It fails with SQLSTATE 23502 (column `epoch`), and the transaction with it, in the rare case that the
    /// bucket was re-keyed after this call: then everything sealed under the key must be made again. It fails with
    /// 23505 when the person has a key already.
    public func create(id: UUID, ledger: UUID) async throws -> (key: PersonKey, insertion: SQL) {
        let bucket = Bucket(of: id)
        let (bucketKey, _) = try await pool.withConnection { connection in
            try await BucketKeys(masters: masters).key(of: bucket, on: &connection)
        }
        let key = SecretKey()
        let wrapped = try bucketKey.wrap(key, purpose: Self.purpose, id: id, ledger: ledger)
        let insertion: SQL = """
            INSERT INTO tenure.person_key (ledger_id, key_id, bucket, epoch, wrapped)
            VALUES (\(ledger), \(id), \(Int16(bucket.number)), \(BucketKeys.epochGuard(bucketKey)), \(wrapped))
            """
        return (PersonKey(id: id, key: key), insertion)
    }

    /// Loads the keys of persons of one ledger; who has none, or whose key is destroyed, is absent from the result.
    ///
    /// One round trip at most, whatever the number.
    ///
    /// - Throws: ``KeysError/Code/wrappingInvalid`` when a stored key was changed, what opening a bucket key throws,
    ///   and `PostgresError`.
    public func load(_ ids: [UUID], ledger: UUID) async throws -> [UUID: PersonKey] {
        let now = ContinuousClock.now
        var (found, generation) = cache.withLock { cache in
            var found: [UUID: PersonKey] = [:]
            for id in ids { found[id] = cache.key(.init(ledger: ledger, id: id), at: now) }
            return (found, cache.generation)
        }
        let missing = Array(Set(ids).subtracting(found.keys))
        if missing.isEmpty { return found }
        let rows = try await pool.withConnection { connection in
            // Both in one implicit transaction, which is as long as the setting lasts.
            try await connection.pipeline([
                LedgerSetting.set([ledger]), Self.selection(of: missing, ledger: ledger),
            ])
        }
        let loaded = try await open(rows.last ?? [], ledger: ledger)
        cache.withLock { cache in
            for (id, key) in loaded {
                cache.insert(key, as: .init(ledger: ledger, id: id), readAt: now, generation: generation)
            }
        }
        found.merge(loaded) { _, new in new }
        return found
    }

    /// Forgets a key now, as after its destruction has been committed.
    public func forget(_ id: UUID, ledger: UUID) { cache.withLock { $0.forget(.init(ledger: ledger, id: id)) } }

    /// Forgets all keys now.
    public func forgetAll() { cache.withLock { $0.forgetAll() } }

    /// The purpose that person keys are wrapped for.
    static let purpose = "person"

    /// The statement that reads wrapped keys, for who sends it together with others and wants none from memory: whether a key
    /// was used lately must not show where equal times matter.
    public static func selection(of ids: [UUID], ledger: UUID) -> SQL {
        """
        SELECT p.key_id, p.epoch, p.wrapped, \(BucketKeyRow.columns)
        FROM tenure.person_key p JOIN tenure.bucket_key b ON b.bucket = p.bucket
        WHERE p.ledger_id = \(ledger) AND p.key_id = ANY(\(ids))
        """
    }

    /// Unwraps the rows of ``selection(of:ledger:)``.
    ///
    /// - Throws: ``KeysError/Code/wrappingInvalid`` when a stored key was changed, and what opening a bucket key throws.
    public func open(_ rows: [PostgresRow], ledger: UUID) async throws -> [UUID: PersonKey] {
        var buckets = BucketKeys.Opened(try await masters.keys(holding: try BucketKeyRow.versions(rows, from: 3)))
        var keys: [UUID: PersonKey] = [:]
        for row in rows {
            let id = try row.decode(column: 0, as: UUID.self)
            let epoch = try row.decode(column: 1, as: Int32.self)
            let wrapped = try row.decode(column: 2, as: [UInt8].self)
            let bucketRow = try BucketKeyRow(row, from: 3)
            guard Int(epoch) == bucketRow.epoch, bucketRow.bucket == Bucket(of: id) else {
                throw KeysError(code: .wrappingInvalid, reason: "a stored key is not of its bucket's epoch")
            }
            let key = try buckets.key(bucketRow).unwrap(wrapped, purpose: Self.purpose, id: id, ledger: ledger)
            keys[id] = PersonKey(id: id, key: key)
        }
        return keys
    }
}
