import Canonical
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// The codes of claims: what a claim says, under the rows key.
extension Claim {
    /// What the code covers.
    fileprivate var values: [RowValue] {
        [
            .uuid(key.ledger.uuid), .text(key.kind), .bytes(key.digest), .uuid(owner), .bytes(value),
            .time(expiresAt?.microseconds),
        ]
    }

    /// The code that the row must have.
    func rightCode(_ ring: KeyRing) -> [UInt8] { ring.rowCode(ProtectedRows.claims, values) }

    /// The statement that gives the row its code, in the transaction that takes the claim.
    func coding(_ ring: KeyRing) -> SQL {
        """
        UPDATE tenure.claim SET mac = \(rightCode(ring))
        WHERE ledger_id = \(key.ledger.uuid) AND kind = \(key.kind) AND key = \(key.digest)
        """
    }

    /// The statement that takes the claim outside of an append, under the lock of the ledger's head, unless it is taken.
    func insertion(_ ring: KeyRing) -> SQL {
        """
        INSERT INTO tenure.claim (ledger_id, kind, key, owner, value, expires_at, mac)
        VALUES (\(key.ledger.uuid), \(key.kind), \(key.digest), \(owner), \(value), \(expiresAt?.postgres),
            \(rightCode(ring))) ON CONFLICT DO NOTHING
        """
    }
}

extension RowAuthentication {
    /// Whether the service wrote a claim as it is. If not, it is counted.
    func accepts(_ claim: Claim) -> Bool {
        // Claims have no day of grace: those from before the codes get theirs from the log.
        accepts(claim.code, ProtectedRows.claims, claim.values, at: Timestamp(microseconds: .max))
    }
}

extension ServiceContext {
    /// Finds the claims of one kind that an owner has in a ledger, in the order of their keys.
    ///
    /// - Parameter kind: A constant: the plan depends on it, because the indexes of owners are each for one kind.
    func claims(_ kind: StaticString, of owner: UUID, in ledger: LedgerID) async throws -> [Claim] {
        let found = try await pool.query(
            """
            SELECT \(ClaimsQuery.columns) FROM tenure.claim
            WHERE ledger_id = \(ledger.uuid) AND kind = '\(unsafeSQL: "\(kind)")' AND owner = \(owner) ORDER BY key
            """, in: [ledger])
        return try found.map { try ClaimsQuery.claim($0) }.filter { rows.accepts($0) }
    }
}
