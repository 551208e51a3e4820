import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// A replaced credential whose bucket has not got another key yet: copies of its destroyed seed still open.
///
/// The claim is taken in the append that deletes the seed, and given back in the transaction that re-keys. So it is there
/// for whoever comes after a process that died between the two.
struct PendingRekeying: Sendable {
    private static let kind = "rekeying"

    let credential: UUID
    let claim: ClaimKey
    var bucket: Bucket { Bucket(of: credential) }

    init(_ credential: UUID, of user: UserID, _ ring: KeyRing) {
        self.credential = credential
        let digest = ring.lookupDigest(kind: Self.kind, credential.bytes)
        claim = ClaimKey(ledger: .directory(of: user), kind: Self.kind, digest: digest)
    }

    private init(credential: UUID, claim: ClaimKey) {
        self.credential = credential
        self.claim = claim
    }

    /// What the append takes.
    var taking: Claim { Claim(key: claim, owner: credential) }

    /// The statement that gives claims back; it waits for whoever is doing the same, and finds nothing then.
    static func release(_ pending: [PendingRekeying]) -> SQL {
        """
        DELETE FROM tenure.claim AS c
        USING unnest(\(pending.map(\.claim.ledger.uuid)), \(pending.map(\.claim.digest))) AS p (ledger_id, key)
        WHERE c.ledger_id = p.ledger_id AND c.kind = \(kind) AND c.key = p.key
        """
    }

    /// All that are left, up to a thousand.
    static func all(on pool: PostgresPool) async throws -> [PendingRekeying] {
        let directories = LedgerID.directories
        let rows = try await pool.query(
            """
            SELECT ledger_id, key, owner FROM tenure.claim
            WHERE ledger_id = ANY (\(directories.map(\.uuid))) AND kind = \(kind) ORDER BY ledger_id, key LIMIT 1000
            """, in: directories)
        return try rows.map { row in
            let (ledger, digest, credential) = try row.decode(UUID.self, [UInt8].self, UUID.self)
            return PendingRekeying(
                credential: credential, claim: ClaimKey(ledger: LedgerID(ledger), kind: kind, digest: digest))
        }
    }
}
