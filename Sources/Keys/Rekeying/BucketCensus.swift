import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// In which ledgers a bucket has rows, and how many: what only the reader's role can see.
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
