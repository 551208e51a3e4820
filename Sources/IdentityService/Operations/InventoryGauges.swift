import Canonical
import Postgres

/// What lives in the database, as gauges: browser sessions, grants of clients, and the age of the keys that sign.
///
/// The database is asked once a minute. It counts up to ``bound`` rows; beyond that it estimates.
actor InventoryGauges {
    private static let pause: Duration = .seconds(60)
    private static let tables: [(name: String, table: SQL, help: String)] = [
        ("tenure_browser_sessions", "tenure.browser_session", "Sessions of browsers that have not ended."),
        ("tenure_client_grants", "tenure.client_grant", "Grants of OpenID clients that have not ended."),
    ]

    private let pool: PostgresPool
    private let bound: Int64
    private let now: @Sendable () -> Timestamp
    private var known: (text: String, at: ContinuousClock.Instant)?

    /// - Parameter pool: Connections of the reader role, which sees all ledgers.
    init(pool: PostgresPool, bound: Int64 = 100_000, now: @escaping @Sendable () -> Timestamp) {
        self.pool = pool
        self.bound = bound
        self.now = now
    }

    /// The gauges in the Prometheus text format; empty if the database does not answer.
    func metrics() async -> String {
        if let known, .now - known.at < Self.pause { return known.text }
        guard let text = try? await read() else { return "" }
        known = (text, .now)
        return text
    }

    private func read() async throws -> String {
        let time = now()
        var lines: [String] = []
        for (name, table, help) in Self.tables {
            lines += ["# HELP \(name) \(help)", "# TYPE \(name) gauge", "\(name) \(try await count(table, time))"]
        }
        lines += [
            "# HELP tenure_signing_key_age_seconds The age of the key that signs, by what it signs.",
            "# TYPE tenure_signing_key_age_seconds gauge",
        ]
        for use in SigningKeyUse.allCases {
            guard let created = try await creation(use, time) else { continue }
            let age = max(0, (time.microseconds - created.microsecondsSinceUnixEpoch) / 1_000_000)
            lines.append("tenure_signing_key_age_seconds{purpose=\"\(use.rawValue)\"} \(age)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func count(_ table: SQL, _ time: Timestamp) async throws -> Int64 {
        let counted = try await pool.withConnection { [bound] connection in
            try await connection.query(
                """
                SELECT count(*) FROM (
                    SELECT FROM \(table) WHERE ends_at > \(time.postgres) LIMIT \(bound + 1)) AS rows
                """)
        }
        let count = try counted.first?.decode(Int64.self) ?? 0
        guard count > bound else { return count }
        let estimated = try await pool.withConnection { connection in
            try await connection.query(
                "SELECT reltuples::bigint FROM pg_catalog.pg_class WHERE oid = '\(table)'::regclass")
        }
        return max(count, try estimated.first?.decode(Int64.self) ?? 0)
    }

    private func creation(_ use: SigningKeyUse, _ time: Timestamp) async throws -> PostgresTimestamp? {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT created_at FROM \(use.table) WHERE \(use.condition) AND signs_from <= \(time.postgres)
                ORDER BY signs_from DESC, created_at DESC, key_id DESC LIMIT 1
                """)
        }.first?.decode(PostgresTimestamp.self)
    }
}
