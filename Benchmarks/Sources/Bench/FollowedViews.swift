import Foundation
import Keys
import Postgres

/// Lets the service's projector read a database to its end, since a rebuild goes as far as the live views are.
struct FollowedViews: Sendable {
    private static let longest: Duration = .seconds(600)

    let cluster: Cluster
    let database: String
    let masters: MasterKeys

    /// Returns when the live views have read all companies; the number of events that these have.
    func settle() async throws -> Int {
        let reader = try cluster.configuration(database, as: "tenure_reader")
        return try await BenchService(cluster, database, masters).run { _ in
            try await withPostgresPool(configuration: reader, logger: Cluster.logger) { readers in
                let start = ContinuousClock.now
                while ContinuousClock.now - start < Self.longest {
                    let (events, behind) = try await readers.withConnection { connection in
                        try await progress(&connection)
                    }
                    if behind == 0 { return events }
                    try await Task.sleep(for: .milliseconds(100))
                }
                throw BenchError("the live views of \(database) do not come to the end of the log")
            }
        }
    }

    /// The events of the companies, and how many of them a view has yet to read. Directories feed no view.
    private func progress(_ connection: inout PostgresConnection) async throws -> (events: Int, behind: Int) {
        let rows = try await connection.query(
            """
            SELECT sum(l.size)::bigint, sum(l.size - p.position)::bigint FROM tenure.ledger AS l
            CROSS JOIN LATERAL (
                SELECT min(coalesce(p.position, 0)) AS position FROM tenure.projection_generation AS g
                LEFT JOIN tenure.projection_progress AS p ON p.ledger_id = l.ledger_id
                    AND p.projection = g.projection AND p.generation = g.live) AS p
            WHERE l.ledger_id IN (SELECT ledger_id FROM tenure.projection_progress)
            """)
        guard let row = rows.first else { throw BenchError("the database says nothing about its views") }
        let (events, behind) = try row.decode(Int64?.self, Int64?.self)
        guard let events, let behind else { return (0, 1) }
        return (Int(events), Int(behind))
    }
}
