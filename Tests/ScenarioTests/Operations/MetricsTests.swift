import Postgres
import TenureServer
import Testing

/// What a process tells of itself while its database works, and while it does not.
@Suite(.onServer, .timeLimit(.minutes(25)))
struct `The metrics of a service` {
    @Test func `are told while the database answers nothing`() async throws {
        try await withTenure { world in
            let collector = MetricsCollector(world.instance.metricSections, patience: .milliseconds(100))
            try await world.superuser { connection in
                try await connection.executeScript("BEGIN; LOCK TABLE tenure.ledger IN ACCESS EXCLUSIVE MODE;")
                for _ in 0..<3 {
                    let text = await collector.text()
                    #expect(text.contains(#"tenure_metrics_age_seconds{section="projections"} +Inf"#))
                    #expect(text.contains(#"tenure_metrics_age_seconds{section="load"} 0"#))
                    #expect(text.contains("\ntenure_database_waiting{pool=\"application\"} "))
                    #expect(!text.contains("tenure_projection_lag_events"))
                }
                try await connection.executeScript("ROLLBACK;")
            }
            while await !collector.text().contains("tenure_projection_lag_events") {}
        }
    }

    @Test func `have the hashing queue and the waits for connections`() async throws {
        try await withTenure { world in
            let text = await world.instance.metrics()
            for line in [
                #"tenure_hashing_admitted{mode="direct",device="known"} 0"#, #"tenure_hashing_queued{mode="blind"} 0"#,
                #"tenure_hashing_refused_total{mode="direct"} 0"#,
                #"tenure_hashing_places{mode="direct",device="any"} "#,
                #"tenure_hashing_wait_seconds_total{mode="direct"} "#,
                #"tenure_hashing_given_up_total{mode="blind"} 0"#,
                #"tenure_database_connections{pool="reader",state="opening"} "#,
                #"tenure_database_waits_total{pool="application"} "#,
                #"tenure_database_connections{pool="companies",state="idle"} "#,
                #"tenure_database_wait_seconds_total{pool="reader"} "#,
                #"tenure_database_waits_failed_total{pool="application"} 0"#, "tenure_projection_lag_events{",
                "tenure_unsealed_ledgers ", "tenure_pending_rekeyings ", "tenure_pages_enabled ",
                "tenure_browser_sessions 0", "tenure_client_grants 0",
                "tenure_ledgers_ahead 0",
            ] {
                #expect(text.contains("\n" + line), "\(line)")
            }
        }
    }
}
