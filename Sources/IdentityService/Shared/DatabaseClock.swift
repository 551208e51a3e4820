import Canonical
import Ledger
import Postgres

/// The database's clock as this process knows it, whatever the process's own clock shows.
///
/// It asks once a minute, and counts on from the answer by a clock that nobody sets.
final class DatabaseClock: Sendable {
    /// By how much an event may be older than its append. The rest of the minute that verification allows is for the
    /// commit.
    static let delay: Duration = .seconds(30)
    private static let lifetime: Duration = .seconds(60)

    private let pool: PostgresPool
    private let known = Lock<(time: Timestamp, at: ContinuousClock.Instant)?>(nil)

    /// Asks over a pool of any role.
    init(pool: PostgresPool) { self.pool = pool }

    /// The time now, at most as late as the database's.
    ///
    /// - Throws: The error of the database.
    func now() async throws -> Timestamp {
        let asked = ContinuousClock.now
        if let known = known.withLock(\.self), asked - known.at < Self.lifetime {
            return known.time.adding(asked - known.at)
        }
        let rows = try await pool.query(
            "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint", in: [LedgerID]())
        let time = Timestamp(microseconds: try rows.first?.decode(Int64.self) ?? 0)
        // Counted from the answer, so that it is never ahead of the database's.
        known.withLock { $0 = (time, .now) }
        return time
    }

    /// The earliest time with which an event is recorded now; `nil` if the database does not answer.
    ///
    /// A call may have waited, and the clock of an operator's machine may be behind. With such a time an event would be
    /// earlier than a checkpoint that does not cover it, as if it were backdated.
    func earliest() async -> Timestamp? { try? await now().adding(.zero - Self.delay) }
}
