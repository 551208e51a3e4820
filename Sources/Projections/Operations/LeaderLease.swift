import FoundationEssentials
import Postgres

/// The turn of one process among several to do a piece of work.
///
/// It is a row that is renewed, not a lock of a session: if a machine vanishes without closing its connections, another
/// process takes over after ``lifetime``. The lease only avoids duplicate work, which is correct without it.
struct LeaderLease: Sendable {
    /// How long a lease lasts after a renewal.
    static let lifetime: Duration = .seconds(3)
    /// How often a process renews the lease, or tries to take it from another one.
    static let renewal: Duration = .seconds(1)

    private let name: String
    private let holder = UUID()
    private let pool: PostgresPool
    private let lifetime: Duration
    private var answer = false
    private var askedAt: ContinuousClock.Instant?

    init(_ name: String, pool: PostgresPool, lifetime: Duration = LeaderLease.lifetime) {
        self.name = name
        self.pool = pool
        self.lifetime = lifetime
    }

    /// Takes or renews the lease if it is time and `mayHold` permits it. Returns whether this process holds it.
    mutating func hold(_ mayHold: () async throws -> Bool = { true }) async throws -> Bool {
        let now = ContinuousClock.now
        if let askedAt, now - askedAt < Self.renewal { return answer }
        let seconds = Double(lifetime.components.seconds)
        let sql: SQL = """
            INSERT INTO tenure.lease AS l (name, holder, expires_at)
            VALUES (\(name), \(holder), clock_timestamp() + make_interval(secs => \(unsafeSQL: "\(seconds)")))
            ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
            WHERE l.holder = excluded.holder OR l.expires_at < clock_timestamp()
            """
        let held = answer
        answer = false
        askedAt = nil
        guard try await mayHold() else {
            if held { await give() }
            askedAt = now
            return false
        }
        answer = try await pool.withConnection { connection in try await connection.execute(sql) } == 1
        askedAt = now
        return answer
    }

    /// Releases the lease, so that the next process need not wait for its expiry. It works in a cancelled task.
    func release() async {
        if answer { await give() }
    }

    private func give() async {
        let sql: SQL = "DELETE FROM tenure.lease WHERE name = \(name) AND holder = \(holder)"
        await Task { [pool] in
            // A failure does no harm: the lease expires by itself.
            _ = try? await pool.withConnection { connection in try await connection.execute(sql) }
        }.value
    }
}
