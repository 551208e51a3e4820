import FoundationEssentials
import Keys
import Ledger
import Logging
import Postgres

/// Gives the buckets of replaced credentials another key, so that what backups hold of their seeds opens no longer than
/// the master key of its time.
struct RekeyBuckets: Sendable {
    let context: ServiceContext

    /// Finishes what changes of credentials have left, a bucket at a time.
    ///
    /// What fails is told to the operator and left for the next time: the changes themselves stand.
    func run(_ pending: [PendingRekeying]) async {
        guard let rekeying = context.rekeying else { return }
        for (bucket, ofBucket) in Dictionary(grouping: pending, by: \.bucket) {
            do {
                let ledgers = Array(Set(ofBucket.map(\.claim.ledger)))
                try await context.pool.withTransaction(in: ledgers) { connection in
                    // Whoever was first has done it for all of them.
                    guard try await connection.execute(PendingRekeying.release(ofBucket)) > 0 else { return }
                    _ = try await rekeying.rekey(bucket, on: &connection)
                }
            } catch {
                context.logger.error(
                    "the bucket of a replaced credential was not re-keyed; it is tried again",
                    metadata: ["bucket": "\(bucket.number)", "credentials": "\(ofBucket.count)"])
            }
        }
    }
}
