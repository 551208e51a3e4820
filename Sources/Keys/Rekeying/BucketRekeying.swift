public import Postgres

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Destroys keys: deletes the row, gives its bucket a new random key, and wraps everything else in the bucket again.
///
/// All of it is one transaction of the application's role. That role sees only the ledgers it names, and a bucket has
/// rows in many, so the reader's role is asked which they are, after the lock on the bucket has ended all insertions.
/// The reader must be connected to the primary: a standby could be behind.
///
/// In a transaction that re-keys, nothing else may delete keys or seeds: what the reader still sees is expected here.
///
/// Order of locks: whoever also appends locks the heads of ledgers first; then comes one bucket, then its rows.
public struct BucketRekeying: Sendable {
    private let reader: PostgresPool
    let masters: MasterKeyStore

    /// Makes an access.
    ///
    /// - Parameter reader: Connections of the reader's role, to the primary. Not the pool that the transaction's own
    ///   connection comes from, or two of these could wait for each other's.
    public init(reader: PostgresPool, masters: MasterKeyStore) {
        self.reader = reader
        self.masters = masters
    }

    /// Makes an access with master keys that stay as they are.
    public init(reader: PostgresPool, masters: MasterKeys) {
        self.init(reader: reader, masters: MasterKeyStore(masters))
    }

    /// Destroys the key of a person, in a transaction that is open on a connection of the application's role.
    ///
    /// After the commit, call ``PersonKeys/forget(_:ledger:)``; other processes forget within seconds.
    ///
    /// - Throws: ``KeysError/Code/rekeyingIncomplete``, ``KeysError/Code/wrappingInvalid``, what opening a bucket key
    ///   throws, and `PostgresError`; the transaction must then be rolled back.
    public func destroyPerson(
        _ id: UUID, ledger: UUID, on connection: inout PostgresConnection
    ) async throws -> DestroyedKey {
        try await destroy(
            in: Bucket(of: id), ledger: ledger,
            "DELETE FROM tenure.person_key WHERE ledger_id = \(ledger) AND key_id = \(id)", on: &connection)
    }

    /// Destroys the seeds of a credential, in a transaction that is open on a connection of the application's role.
    ///
    /// - Throws: as ``destroyPerson(_:ledger:on:)``.
    public func destroySeeds(
        credentialId: UUID, ledger: UUID, on connection: inout PostgresConnection
    ) async throws -> DestroyedKey {
        try await destroy(
            in: Bucket(of: credentialId), ledger: ledger,
            "DELETE FROM tenure.oprf_seed WHERE ledger_id = \(ledger) AND credential_id = \(credentialId)",
            on: &connection)
    }

    /// Gives a bucket a new key without deleting anything, as after ``OPRFSeeds/deletion(credentialId:ledger:)``.
    ///
    /// - Throws: as ``destroyPerson(_:ledger:on:)``.
    public func rekey(_ bucket: Bucket, on connection: inout PostgresConnection) async throws -> DestroyedKey {
        try await destroy(in: bucket, ledger: nil, nil, on: &connection)
    }

    private func destroy(
        in bucket: Bucket, ledger: UUID?, _ deletion: SQL?, on connection: inout PostgresConnection
    ) async throws -> DestroyedKey {
        let (old, masterVersion) = try await BucketKeys(masters: masters)
            .key(of: bucket, on: &connection, forUpdate: true)
        // Nobody inserts into the bucket any more, and who did has committed: the reader now sees all there is.
        let census = try await BucketCensus.take(bucket, reader)
        let named = try await LedgerSetting.read(&connection)
        try await LedgerSetting.apply(Array(census.ledgers.union(named).union(ledger.map { [$0] } ?? [])), &connection)
        var result = DestroyedKey(
            bucket: bucket, epoch: old.epoch, masterVersion: masterVersion, count: 0, rewrapped: 0)
        if let deletion { result.count = try await connection.execute(deletion) }
        if deletion == nil || result.count > 0 {
            let new = BucketKey(bucket: bucket, epoch: old.epoch + 1, key: SecretKey())
            let rows = try await BucketRows.read(bucket, &connection)
            // A row that stayed behind would never open again.
            guard rows.count + result.count >= census.count else {
                throw KeysError(
                    code: .rekeyingIncomplete,
                    reason: "the bucket has \(census.count) rows and \(rows.count + result.count) were found")
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
    /// Never under a version before the one it is under: a process that has not read the file since a rotation would
    /// wrap it under the version that the operator is about to destroy, and with it lose everybody in the bucket.
    private func store(
        _ key: BucketKey, notBefore version: Int, _ connection: inout PostgresConnection
    ) async throws {
        let keys = try await masters.keys(holding: [version])
        guard keys.current >= version else {
            throw KeysError(
                code: .masterVersionUnknown, reason: "the bucket is wrapped under a later version than the current one",
                remedy: "start with the master key file that was rotated last")
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
