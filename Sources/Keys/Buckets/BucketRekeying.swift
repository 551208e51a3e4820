package import FoundationEssentials
package import Postgres

/// Destroys keys: deletes the row, gives its bucket a new random key, and rewraps everything else in the bucket.
///
/// ```swift
/// let rekeying = BucketRekeying(reader: readerPool, masters: masters)
/// let destroyed = try await pool.withTransaction { connection in
///     try await rekeying.destroyPerson(id, ledger: ledger, on: &connection)
/// }
/// keys.forget(id, ledger: ledger)        // `PersonKeys` of this process
/// ```
///
/// All of it is one transaction of the application role. That role sees only the ledgers it names, but a bucket has
/// rows in many. After the lock on the bucket has ended all insertions, the reader role is asked which ledgers these
/// are. The reader must be connected to the primary, because a standby could lag.
///
/// In a transaction that rekeys, nothing else may delete keys or seeds: every row that the reader still sees is
/// expected.
///
/// Locks are taken in this order: heads of ledgers (by callers that also append), one bucket, its rows.
package struct BucketRekeying: Sendable {
    private let reader: PostgresPool
    let masters: MasterKeyStore

    /// A rekeying with the master keys of a store.
    ///
    /// - Parameter reader: Connections of the reader role to the primary. It must not be the pool that the
    ///   transaction's own connection comes from: two rekeyings could then wait for each other's connection.
    package init(reader: PostgresPool, masters: MasterKeyStore) {
        self.reader = reader
        self.masters = masters
    }

    /// A rekeying with fixed master keys.
    package init(reader: PostgresPool, masters: MasterKeys) {
        self.init(reader: reader, masters: MasterKeyStore(masters))
    }

    /// Destroys a person's key, in an open transaction of the application role.
    ///
    /// After the commit, call ``PersonKeys/forget(_:ledger:)``. Other processes forget the key within seconds.
    ///
    /// - Throws: ``KeysError/Code/rekeyingIncomplete``, ``KeysError/Code/wrappingInvalid``, what unwrapping a bucket
    ///   key throws, and `PostgresError`. The transaction must then be rolled back.
    package func destroyPerson(
        _ id: UUID, ledger: UUID, on connection: inout PostgresConnection
    ) async throws -> DestroyedKey {
        try await destroy(
            in: Bucket(of: id), ledger: ledger,
            "DELETE FROM tenure.person_key WHERE ledger_id = \(ledger) AND key_id = \(id)", on: &connection)
    }

    /// Destroys a credential's seeds, in an open transaction of the application role.
    ///
    /// - Throws: As ``destroyPerson(_:ledger:on:)``.
    package func destroySeeds(
        credentialId: UUID, ledger: UUID, on connection: inout PostgresConnection
    ) async throws -> DestroyedKey {
        try await destroy(
            in: Bucket(of: credentialId), ledger: ledger,
            "DELETE FROM tenure.oprf_seed WHERE ledger_id = \(ledger) AND credential_id = \(credentialId)",
            on: &connection)
    }

    /// Gives a bucket a new key without deleting anything, as after ``OPRFSeeds/deletion(credentialId:ledger:)``.
    ///
    /// - Throws: As ``destroyPerson(_:ledger:on:)``.
    package func rekey(_ bucket: Bucket, on connection: inout PostgresConnection) async throws -> DestroyedKey {
        try await destroy(in: bucket, ledger: nil, nil, on: &connection)
    }

    private func destroy(
        in bucket: Bucket, ledger: UUID?, _ deletion: SQL?, on connection: inout PostgresConnection
    ) async throws -> DestroyedKey {
        let (old, masterVersion) = try await BucketKeys(masters: masters)
            .key(of: bucket, on: &connection, forUpdate: true)
        // No transaction inserts into the bucket any more, and earlier ones have committed, on all nodes: the reader now
        // sees all rows.
        _ = try await connection.query("SELECT tenure.settle()")
        let census = try await BucketCensus.take(bucket, reader)
        let named = try await LedgerSetting.read(&connection)
        try await LedgerSetting.apply(Array(census.ledgers.union(named).union(ledger.map { [$0] } ?? [])), &connection)
        var result = DestroyedKey(
            bucket: bucket, epoch: old.epoch, masterVersion: masterVersion, count: 0, rewrapped: 0)
        if let deletion { result.count = try await connection.execute(deletion) }
        if deletion == nil || result.count > 0 {
            let new = BucketKey(bucket: bucket, epoch: old.epoch + 1, key: SecretKey())
            let rows = try await BucketRows.read(bucket, &connection)
            // A row that is left out could never be unwrapped again.
            guard rows.count + result.count >= census.count else {
                throw KeysError(
                    code: .rekeyingIncomplete,
                    reason: "the bucket has \(census.count) rows, but \(rows.count + result.count) were found")
            }
            try await rows.rewrap(from: old, to: new, &connection)
            try await store(new, notBefore: masterVersion, &connection)
            result.epoch = new.epoch
            result.rewrapped = rows.count
        }
        try await LedgerSetting.apply(named, &connection)
        return result
    }

    /// Stores the bucket's next key.
    ///
    /// It never uses a master key version before the bucket's own. A process that has not read the file since a
    /// rotation would otherwise use the version that the operator is about to destroy, and everyone in the bucket would
    /// be lost with it.
    private func store(
        _ key: BucketKey, notBefore version: Int, _ connection: inout PostgresConnection
    ) async throws {
        let keys = try await masters.keys(holding: [version])
        guard keys.current >= version else {
            throw KeysError(
                code: .masterVersionUnknown,
                reason: "the bucket is wrapped under a later master key than the current one",
                remedy: "start with the most recently rotated master key file")
        }
        let row = try BucketKeyRow(wrapping: key, under: keys)
        let count = try await connection.execute(
            """
            UPDATE tenure.bucket_key
            SET epoch = \(Int32(clamping: row.epoch)), master_version = \(Int32(clamping: row.masterVersion)),
                wrapped = \(row.wrapped)
            WHERE bucket = \(Int16(row.bucket.number)) AND epoch = \(Int32(clamping: row.epoch - 1))
            """)
        guard count == 1 else {
            throw KeysError(code: .rekeyingIncomplete, reason: "the bucket's key is not the one that was locked")
        }
    }
}

/// The result of destroying a key, which tells when the destruction is complete.
///
/// The rows are gone and their bucket has a new key. The old bucket key remains, wrapped, in write-ahead logs, dead
/// tuples, replicas and backups of the database. It can be unwrapped there until its master keys are destroyed.
package struct DestroyedKey: Sendable, Equatable {
    package let bucket: Bucket
    /// The epoch of the bucket's present key.
    package internal(set) var epoch: Int
    /// The last master key version that wrapped the old bucket key. The erasure is complete once this version and all
    /// before it are destroyed.
    package let masterVersion: Int
    /// How many rows were deleted. If there was none, this is 0, which is not an error, and nothing is rekeyed.
    package internal(set) var count: Int
    /// How many other keys and seeds of the bucket were rewrapped.
    package internal(set) var rewrapped: Int
}

/// The ledgers in which a bucket has rows, and how many. Only the reader role can see this.
struct BucketCensus: Sendable {
    var ledgers: Set<UUID> = []
    var count = 0

    static func take(_ bucket: Bucket, _ reader: PostgresPool) async throws -> BucketCensus {
        let rows = try await reader.withConnection { connection in
            try await connection.query(
                """
                SELECT r.ledger_id, count(*) FROM (
                    SELECT p.ledger_id FROM tenure.person_key p WHERE p.bucket = \(Int16(bucket.number))
                    UNION ALL
                    SELECT s.ledger_id FROM tenure.oprf_seed s
                    WHERE get_byte(sha256(uuid_send(s.credential_id)), 0) = \(Int32(bucket.number))
                ) AS r GROUP BY r.ledger_id
                """)
        }
        var census = BucketCensus()
        for row in rows {
            let (ledger, count) = try row.decode(UUID.self, Int64.self)
            census.ledgers.insert(ledger)
            census.count += Int(count)
        }
        return census
    }
}
