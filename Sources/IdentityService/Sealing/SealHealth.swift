import Foundation
public import Ledger
public import Postgres

/// The ledgers that should have been sealed and were not, which an operator has to look at: nobody seals, or a ledger is
/// not what was sealed before and is refused.
public struct SealDelay: Sendable {
    /// After which time an event that is not sealed is one too many; seals come every second.
    public static let allowed: Duration = .seconds(60)
    /// How many ledgers are named.
    public static let named = 20

    /// A ledger that waits.
    public struct Ledger: Sendable {
        /// Which one.
        public let id: LedgerID
        /// How many events it has.
        public let size: Int64
        /// How many of them are sealed.
        public let sealed: Int64
    }

    /// The first of the ledgers that wait, by their ids.
    public let ledgers: [Ledger]
    /// How many ledgers wait.
    public let count: Int

    /// Looks over a pool of the reader role. The system ledger is left out: its anchor is made anew with each seal.
    public static func read(_ pool: PostgresPool) async throws -> SealDelay {
        let seconds = allowed.components.seconds
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT l.ledger_id, l.size, coalesce(c.size, 0), count(*) OVER ()
                FROM tenure.ledger AS l LEFT JOIN tenure.checkpoint AS c USING (ledger_id)
                WHERE l.ledger_id <> \(LedgerID.system.uuid) AND l.size > coalesce(c.size, 0)
                    AND coalesce((
                        SELECT e."time" FROM tenure.event AS e
                        WHERE e.ledger_id = l.ledger_id AND e.position = coalesce(c.size, 0) + 1), l."time")
                        < now() - \(seconds) * interval '1 second'
                ORDER BY l.ledger_id LIMIT \(Int64(named))
                """)
        }
        var count: Int64 = 0
        let ledgers = try rows.map { row in
            let (id, size, sealed, all) = try row.decode(UUID.self, Int64.self, Int64.self, Int64.self)
            count = all
            return Ledger(id: LedgerID(id), size: size, sealed: sealed)
        }
        return SealDelay(ledgers: ledgers, count: Int(count))
    }
}

/// The same as a gauge, asked of the database now and then and remembered between.
actor SealHealth {
    private static let pause: Duration = .seconds(10)

    private let pool: PostgresPool
    private var known: (count: Int, at: ContinuousClock.Instant)?

    init(pool: PostgresPool) { self.pool = pool }

    /// A gauge in the Prometheus text format; empty when the database does not answer.
    func metrics() async -> String {
        guard let count = try? await count() else { return "" }
        return """
            # HELP tenure_unsealed_ledgers Ledgers with an event that has not been sealed for a minute.
            # TYPE tenure_unsealed_ledgers gauge
            tenure_unsealed_ledgers \(count)

            """
    }

    private func count() async throws -> Int {
        if let known, .now - known.at < Self.pause { return known.count }
        let count = try await SealDelay.read(pool).count
        known = (count, .now)
        return count
    }
}
