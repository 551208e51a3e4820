import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Logging
package import Postgres
import ServiceLifecycle

/// A replaced credential, or an invitation that ended unused, whose bucket still has its old key, so that copies of the
/// destroyed seed or key can still be decrypted.
///
/// The claim is taken in the transaction that deletes the seed or key, and released in the one that re-keys. If a
/// process dies between the two, the claim is left for the next one.
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

    /// A deleted invitation. It belongs to no user, so its own id chooses the directory.
    init(_ invitation: InvitationID, _ ring: KeyRing) {
        self.init(invitation.uuid, of: UserID(invitation.uuid), ring)
    }

    private init(credential: UUID, claim: ClaimKey) {
        self.credential = credential
        self.claim = claim
    }

    /// The claim for the append.
    var taking: Claim { Claim(key: claim, owner: credential) }

    /// The statement that takes the claim outside of an append, under the lock of the directory's head.
    func insertion(_ ring: KeyRing) -> SQL { taking.taking(ring) }

    /// The statement that releases claims. It waits for a concurrent release, and then finds nothing.
    static func release(_ pending: [PendingRekeying]) -> SQL {
        """
        DELETE FROM tenure.claim AS c
        USING unnest(\(pending.map(\.claim.ledger.uuid)), \(pending.map(\.claim.digest))) AS p (ledger_id, key)
        WHERE c.ledger_id = p.ledger_id AND c.kind = \(kind) AND c.key = p.key
        """
    }

    /// Reads all that are left, up to a thousand.
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

/// Re-keys the buckets of replaced credentials, so that seeds in backups can be decrypted only with the master key of
/// their time.
struct RekeyBuckets: Sendable {
    let context: ServiceContext

    /// Finishes the re-keying that changes of credentials have left, one bucket at a time.
    ///
    /// Failures are logged and left for the next time; the changes themselves stand.
    func run(_ pending: [PendingRekeying]) async {
        guard let rekeying = context.rekeying else { return }
        for (bucket, ofBucket) in Dictionary(grouping: pending, by: \.bucket) {
            do {
                let ledgers = Array(Set(ofBucket.map(\.claim.ledger)))
                try await context.pool.withTransaction(in: ledgers) { connection in
                    // The first process to come has re-keyed for all of them.
                    guard try await connection.execute(PendingRekeying.release(ofBucket)) > 0 else { return }
                    _ = try await rekeying.rekey(bucket, on: &connection)
                }
            } catch {
                context.logger.error(
                    "the bucket of a replaced credential was not re-keyed; the service tries again",
                    metadata: ["bucket": "\(bucket.number)", "credentials": "\(ofBucket.count)"])
            }
        }
    }
}

/// Re-keys buckets after a failed change of credentials, or after a process died.
struct RekeyingSweeper: Service {
    /// The time between two sweeps; the first is at the start.
    static let interval: Duration = .seconds(30)
    let context: ServiceContext

    /// Sweeps until the task is cancelled.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await sweep() } catch is CancellationError { return } catch {
                    context.logger.warning("the pending re-keyings could not be read")
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Re-keys the buckets that are left now.
    func sweep() async throws {
        await RekeyBuckets(context: context).run(try await PendingRekeying.all(on: context.pool))
    }
}

/// Counts the replaced credentials that wait for their bucket's next key. A count above 0 for long needs an operator.
package struct RekeyingDelay: Sendable {
    /// Counts over a pool of the reader role.
    ///
    /// - Throws: `PostgresError`.
    package static func count(on pool: PostgresPool) async throws -> Int {
        try await PendingRekeying.all(on: pool).count
    }
}

/// The same count as a gauge, cached between queries.
actor RekeyingHealth {
    private static let pause: Duration = .seconds(10)

    private let pool: PostgresPool
    private var known: (count: Int, at: ContinuousClock.Instant)?

    init(pool: PostgresPool) { self.pool = pool }

    /// The gauge in the Prometheus text format; empty if the database does not answer.
    func metrics() async -> String {
        guard let count = try? await count() else { return "" }
        return """
            # HELP tenure_pending_rekeyings Replaced credentials whose bucket is not re-keyed yet.
            # TYPE tenure_pending_rekeyings gauge
            tenure_pending_rekeyings \(count)

            """
    }

    private func count() async throws -> Int {
        if let known, .now - known.at < Self.pause { return known.count }
        let count = try await RekeyingDelay.count(on: pool)
        known = (count, .now)
        return count
    }
}
