import FoundationEssentials
import Postgres

/// The turn of one process among several to do a piece of work that one of them should do.
///
/// A row that is renewed rather than a lock of a session: a machine that vanishes without closing its connections is
/// followed by another after ``lifetime``. It spares work only; everything done under it is correct without it.
struct Lease: Sendable {
    /// How long a lease lasts after it was renewed.
    static let lifetime: Duration = .seconds(3)
    /// How often it is renewed, and asked for while another holds it.
    static let renewal: Duration = .seconds(1)

    private let name: String
    private let holder = UUID()
    private let pool: PostgresPool
    private let lifetime: Duration
    private var answer = false
    private var askedAt: ContinuousClock.Instant?

    init(_ name: String, pool: PostgresPool, lifetime: Duration = Lease.lifetime) {
        self.name = name
        self.pool = pool
        self.lifetime = lifetime
    }

    /// Takes or renews the lease when it is time to and `mayHold` allows it; whether it is held.
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

    /// Gives the lease back, so that the next one need not wait for its end. Works in a task that was cancelled.
    func release() async {
        if answer { await give() }
    }

    private func give() async {
        let sql: SQL = "DELETE FROM tenure.lease WHERE name = \(name) AND holder = \(holder)"
        await Task { [pool] in
            // Nobody is harmed when this fails: the lease ends by itself.
            _ = try? await pool.withConnection { connection in try await connection.execute(sql) }
        }.value
    }
}
