public import Postgres

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The seeds of credentials in the database, each wrapped under the key of the ``Bucket`` of its credential's id.
///
/// They are in the user's directory ledger. None is kept in memory: who logs in needs them once.
public struct OPRFSeeds: Sendable {
    private let pool: PostgresPool
    private let masters: MasterKeyStore

    /// Makes an access to the seeds over connections of the application's role.
    public init(pool: PostgresPool, masters: MasterKeyStore) {
        self.pool = pool
        self.masters = masters
    }

    /// Makes an access with master keys that stay as they are.
    public init(pool: PostgresPool, masters: MasterKeys) {
        self.init(pool: pool, masters: MasterKeyStore(masters))
    }

    /// Makes the statement that stores the seeds of a credential.
    ///
    /// As with ``PersonKeys/create(id:ledger:)`` it belongs into the appending transaction, and fails with SQLSTATE
    /// 23502 (column `epoch`) when the bucket was re-keyed after this call: then make the statement again.
    public func insertion(of seeds: CredentialSeeds, credentialId: UUID, ledger: UUID) async throws -> SQL {
        let (bucketKey, _) = try await pool.withConnection { connection in
            try await BucketKeys(masters: masters).key(of: Bucket(of: credentialId), on: &connection)
        }
        var purposes: [String] = []
        var wrapped: [[UInt8]] = []
        for (purpose, seed) in seeds.byPurpose {
            purposes.append(purpose.rawValue)
            wrapped.append(
                try bucketKey.wrap(seed, purpose: purpose.wrapPurpose, id: credentialId, ledger: ledger))
        }
        return """
            INSERT INTO tenure.oprf_seed (ledger_id, credential_id, purpose, epoch, wrapped)
            SELECT \(ledger), \(credentialId), s.purpose, \(BucketKeys.epochGuard(bucketKey)), s.wrapped
            FROM unnest(\(purposes), \(wrapped)) AS s (purpose, wrapped)
            """
    }

    /// Makes random seeds, and the statement that stores them.
    public func create(
        credentialId: UUID, ledger: UUID, withPassphrase: Bool
    ) async throws -> (seeds: CredentialSeeds, insertion: SQL) {
        let seeds = CredentialSeeds.random(withPassphrase: withPassphrase)
        let insertion = try await insertion(of: seeds, credentialId: credentialId, ledger: ledger)
        return (seeds, insertion)
    }

    /// Loads the seeds of a credential; nil when there are none, or they are destroyed.
    ///
    /// - Throws: What ``open(_:credentialId:ledger:)`` throws, and `PostgresError`.
    public func load(credentialId: UUID, ledger: UUID) async throws -> CredentialSeeds? {
        let rows = try await pool.withConnection { connection in
            try await connection.pipeline([
                LedgerSetting.set([ledger]), Self.selection(credentialId: credentialId, ledger: ledger),
            ])
        }
        return try await open(rows.last ?? [], credentialId: credentialId, ledger: ledger)
    }

    /// The statement that reads the wrapped seeds of a credential, for who sends it together with others.
    public static func selection(credentialId: UUID, ledger: UUID) -> SQL {
        """
        SELECT s.purpose, s.epoch, s.wrapped, \(BucketKeyRow.columns)
        FROM tenure.oprf_seed s JOIN tenure.bucket_key b ON b.bucket = \(Int16(Bucket(of: credentialId).number))
        WHERE s.ledger_id = \(ledger) AND s.credential_id = \(credentialId)
        """
    }

    /// Unwraps the rows of ``selection(credentialId:ledger:)``; nil when there are none.
    ///
    /// - Throws: ``KeysError/Code/wrappingInvalid`` when a stored seed was changed, and what opening a bucket key throws.
    public func open(_ rows: [PostgresRow], credentialId: UUID, ledger: UUID) async throws -> CredentialSeeds? {
        let versions = try BucketKeyRow.versions(rows, from: 3)
        var buckets = BucketKeys.Opened(try await masters.keys(holding: versions))
        var seeds: [OPRFPurpose: SecretKey] = [:]
        for row in rows {
            let name = try row.decode(column: 0, as: String.self)
            let epoch = try row.decode(column: 1, as: Int32.self)
            let wrapped = try row.decode(column: 2, as: [UInt8].self)
            let bucketRow = try BucketKeyRow(row, from: 3)
            guard let purpose = OPRFPurpose(rawValue: name), Int(epoch) == bucketRow.epoch else {
                throw KeysError(code: .wrappingInvalid, reason: "a stored seed is not of its bucket's epoch")
            }
            seeds[purpose] = try buckets.key(bucketRow)
                .unwrap(wrapped, purpose: purpose.wrapPurpose, id: credentialId, ledger: ledger)
        }
        guard let answers = seeds[.answers] else { return nil }
        return CredentialSeeds(answers: answers, passphrase: seeds[.passphrase])
    }

    /// The statement that deletes the seeds of a credential.
    ///
    /// Deleting alone leaves the wrapped rows in write-ahead logs and backups; they open until the bucket is re-keyed
    /// (``BucketRekeying``). The lock on the bucket comes first, as everywhere, so that a re-keying cannot deadlock.
    public func deletion(credentialId: UUID, ledger: UUID) -> SQL {
        """
        DELETE FROM tenure.oprf_seed s
        WHERE s.ledger_id = \(ledger) AND s.credential_id = \(credentialId) AND EXISTS (
            SELECT FROM tenure.bucket_key b WHERE b.bucket = \(Int16(Bucket(of: credentialId).number)) FOR SHARE)
        """
    }
}
