public import Postgres

/// How many replaced credentials wait for their bucket's next key; more than none for long needs an operator.
public struct RekeyingDelay: Sendable {
    /// Counts over a pool of the reader role.
    public static func count(on pool: PostgresPool) async throws -> Int {
        try await PendingRekeying.all(on: pool).count
    }
}

/// The same as a gauge, asked of the database now and then and remembered between.
actor RekeyingHealth {
    private static let pause: Duration = .seconds(10)

    private let pool: PostgresPool
    private var known: (count: Int, at: ContinuousClock.Instant)?

    init(pool: PostgresPool) { self.pool = pool }

    /// A gauge in the Prometheus text format; empty when the database does not answer.
    func metrics() async -> String {
        guard let count = try? await count() else { return "" }
        return """
            # HELP tenure_pending_rekeyings Replaced credentials whose bucket has not got another key yet.
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
