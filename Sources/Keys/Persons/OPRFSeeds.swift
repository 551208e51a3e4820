package import FoundationEssentials
package import Postgres

/// The purpose of a seed. The raw value is stored in the column `purpose` of `tenure.oprf_seed`.
enum OPRFPurpose: String, Sendable, CaseIterable {
    case answers
    case passphrase

    /// The purpose under which the seed is wrapped.
    var wrapPurpose: String { "oprf/" + rawValue }
}

/// The seeds of one credential, 32 random bytes each, from which its VOPRF keys are derived.
///
/// They are stored outside the log, and destroyed when the credential is replaced or the person is erased.
package struct CredentialSeeds: Sendable, Equatable {
    /// The seed of the VOPRF key for answers.
    package let answers: SecretKey
    /// The seed of the VOPRF key for the passphrase, if the user has one.
    package let passphrase: SecretKey?

    /// Existing seeds, such as those that a flow kept encrypted until it completed.
    package init(answers: SecretKey, passphrase: SecretKey?) {
        self.answers = answers
        self.passphrase = passphrase
    }

    package static func random(withPassphrase: Bool) -> CredentialSeeds {
        CredentialSeeds(answers: SecretKey(), passphrase: withPassphrase ? SecretKey() : nil)
    }

    var byPurpose: [(purpose: OPRFPurpose, seed: SecretKey)] {
        [(.answers, answers)] + (passphrase.map { [(.passphrase, $0)] } ?? [])
    }
}

/// The seeds of credentials in the database, each wrapped under the key of its credential's ``Bucket``.
///
/// ```swift
/// let store = OPRFSeeds(pool: pool, masters: masters)
/// let seeds = CredentialSeeds.random(withPassphrase: true)
/// let insertion = try await store.insertion(of: seeds, credentialId: id, ledger: ledger)   // run it with the append
/// let later = try await store.load(credentialId: id, ledger: ledger)
/// ```
///
/// Seeds are in the user's directory ledger. None is kept in memory, because a log-in needs them once.
package struct OPRFSeeds: Sendable {
    private let pool: PostgresPool
    private let masters: MasterKeyStore

    /// The seeds, over a pool of the application role.
    package init(pool: PostgresPool, masters: MasterKeyStore) {
        self.pool = pool
        self.masters = masters
    }

    /// The seeds, with fixed master keys.
    package init(pool: PostgresPool, masters: MasterKeys) {
        self.init(pool: pool, masters: MasterKeyStore(masters))
    }

    /// Returns the statement that stores the seeds of a credential.
    ///
    /// As with ``PersonKeys/create(id:ledger:)``, run it in the transaction that appends. It fails with SQLSTATE 23502
    /// (column `epoch`) if the bucket was rekeyed after this call; then request the statement again.
    ///
    /// - Throws: What reading a bucket key throws, and `PostgresError`.
    package func insertion(of seeds: CredentialSeeds, credentialId: UUID, ledger: UUID) async throws -> SQL {
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
            SELECT tenure.insert_oprf_seeds(
                \(ledger), \(credentialId), \(Int16(bucketKey.bucket.number)), \(Int32(clamping: bucketKey.epoch)),
                \(purposes), \(wrapped))
            """
    }

    /// Generates random seeds, and returns them with the statement that stores them.
    ///
    /// - Throws: As ``insertion(of:credentialId:ledger:)``.
    package func create(
        credentialId: UUID, ledger: UUID, withPassphrase: Bool
    ) async throws -> (seeds: CredentialSeeds, insertion: SQL) {
        let seeds = CredentialSeeds.random(withPassphrase: withPassphrase)
        let insertion = try await insertion(of: seeds, credentialId: credentialId, ledger: ledger)
        return (seeds, insertion)
    }

    /// Loads the seeds of a credential. Returns `nil` if there are none or they are destroyed.
    ///
    /// - Throws: What ``open(_:credentialId:ledger:)`` throws, and `PostgresError`.
    package func load(credentialId: UUID, ledger: UUID) async throws -> CredentialSeeds? {
        try await Rereading.untilAgreed {
            let rows = try await pool.withConnection { connection in
                try await connection.transaction([
                    LedgerSetting.set([ledger]), Self.selection(credentialId: credentialId, ledger: ledger),
                ])
            }
            return try await open(rows.last ?? [], credentialId: credentialId, ledger: ledger)
        }
    }

    /// Returns the query for the wrapped seeds of a credential, which may be sent as part of a pipeline.
    package static func selection(credentialId: UUID, ledger: UUID) -> SQL {
        """
        SELECT s.purpose, s.epoch, s.wrapped, \(BucketKeyRow.columns)
        FROM tenure.oprf_seed s JOIN tenure.bucket_key b ON b.bucket = \(Int16(Bucket(of: credentialId).number))
        WHERE s.ledger_id = \(ledger) AND s.credential_id = \(credentialId)
        """
    }

    /// Unwraps the rows of ``selection(credentialId:ledger:)``. Returns `nil` if there are none.
    ///
    /// - Throws: ``KeysError/Code/wrappingInvalid`` if a stored seed was changed, and what unwrapping a bucket key
    ///   throws.
    package func open(_ rows: [PostgresRow], credentialId: UUID, ledger: UUID) async throws -> CredentialSeeds? {
        let versions = try BucketKeyRow.versions(rows, from: 3)
        var buckets = BucketKeys.Opened(try await masters.keys(holding: versions))
        var seeds: [OPRFPurpose: SecretKey] = [:]
        for row in rows {
            let name = try row.decode(column: 0, as: String.self)
            let epoch = try row.decode(column: 1, as: Int32.self)
            let wrapped = try row.decode(column: 2, as: [UInt8].self)
            let bucketRow = try BucketKeyRow(row, from: 3)
            guard let purpose = OPRFPurpose(rawValue: name), Int(epoch) == bucketRow.epoch else {
                throw KeysError(code: .wrappingInvalid, reason: "a stored seed does not have its bucket's epoch")
            }
            seeds[purpose] = try buckets.key(bucketRow)
                .unwrap(wrapped, purpose: purpose.wrapPurpose, id: credentialId, ledger: ledger)
        }
        guard let answers = seeds[.answers] else { return nil }
        return CredentialSeeds(answers: answers, passphrase: seeds[.passphrase])
    }

    /// Returns the statement that deletes the seeds of a credential.
    ///
    /// Deleted rows remain, wrapped, in write-ahead logs and backups, and can be unwrapped until the bucket is rekeyed
    /// (``BucketRekeying``). The statement locks the bucket first, so that it cannot deadlock with a rekeying.
    package func deletion(credentialId: UUID, ledger: UUID) -> SQL {
        """
        DELETE FROM tenure.oprf_seed s
        WHERE s.ledger_id = \(ledger) AND s.credential_id = \(credentialId) AND EXISTS (
            SELECT 1 FROM tenure.bucket_key b WHERE b.bucket = \(Int16(Bucket(of: credentialId).number)) FOR SHARE)
        """
    }
}
