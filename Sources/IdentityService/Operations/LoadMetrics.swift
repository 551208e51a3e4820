package import Postgres

/// What waits inside the process: computations for a thread, and callers for a connection to the database.
package struct LoadMetrics: Sendable {
    private let context: ServiceContext
    private let pools: [String: PostgresPool]

    /// - Parameter pools: The pools by the label that they get.
    package init(context: ServiceContext, pools: [String: PostgresPool]) {
        self.context = context
        self.pools = pools
    }

    /// The metrics in the Prometheus text format. They wait for nothing.
    package var text: String { hashing + database }

    private var hashing: String {
        let pools = [("direct", context.compute), ("blind", context.evaluations)]
        let loads = pools.map { ($0, $1.load) }
        var lines = [
            "# HELP tenure_hashing_admitted Calls that hash or wait for it.", "# TYPE tenure_hashing_admitted gauge",
        ]
        for (mode, load) in loads {
            lines.append("tenure_hashing_admitted{mode=\"\(mode)\",device=\"known\"} \(load.known)")
            lines.append("tenure_hashing_admitted{mode=\"\(mode)\",device=\"unknown\"} \(load.unknown)")
        }
        lines += [
            "# HELP tenure_hashing_places Calls that may hash or wait for it.",
            "# TYPE tenure_hashing_places gauge",
        ]
        for (mode, pool) in pools {
            lines.append("tenure_hashing_places{mode=\"\(mode)\",device=\"any\"} \(pool.places.all)")
            lines.append("tenure_hashing_places{mode=\"\(mode)\",device=\"unknown\"} \(pool.places.unknown)")
        }
        lines += [
            "# HELP tenure_hashing_queued Computations that wait for a thread.", "# TYPE tenure_hashing_queued gauge",
        ]
        lines += loads.map { "tenure_hashing_queued{mode=\"\($0)\"} \($1.queued)" }
        lines += [
            "# HELP tenure_hashing_refused_total Calls that found no place for their computation.",
            "# TYPE tenure_hashing_refused_total counter",
        ]
        lines += loads.map { "tenure_hashing_refused_total{mode=\"\($0)\"} \($1.refused)" }
        func counter(_ name: String, _ help: String, _ value: (ComputePool) -> String) {
            lines += ["# HELP \(name) \(help)", "# TYPE \(name) counter"]
            lines += pools.map { "\(name){mode=\"\($0)\"} \(value($1))" }
        }
        counter("tenure_hashing_waits_total", "Computations that got a thread.") { "\($0.waited.count)" }
        counter("tenure_hashing_wait_seconds_total", "The time that they waited for it together.") {
            "\($0.waited.together / .seconds(1))"
        }
        counter("tenure_hashing_given_up_total", "Computations that got no thread in time.") { "\($0.waited.givenUp)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private var database: String {
        let pools = pools.sorted { $0.key < $1.key }.map { (name: $0.key, health: $0.value.health) }
        func series(
            _ name: String, _ type: String, _ help: String, _ value: (PostgresPoolHealth) -> String
        ) -> [String] {
            ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
                + pools.map { "\(name){pool=\"\($0.name)\"} \(value($0.health))" }
        }
        var lines = [
            "# HELP tenure_database_connections Connections to the database.",
            "# TYPE tenure_database_connections gauge",
        ]
        for (name, health) in pools {
            for (state, count) in [("idle", health.idle), ("lent", health.lent), ("opening", health.opening)] {
                lines.append("tenure_database_connections{pool=\"\(name)\",state=\"\(state)\"} \(count)")
            }
        }
        lines += series("tenure_database_waiting", "gauge", "Callers that wait for a connection.") { "\($0.waiting)" }
        lines += series("tenure_database_waits_total", "counter", "Callers that have waited for a connection.") {
            "\($0.waits)"
        }
        lines += series("tenure_database_wait_seconds_total", "counter", "The time that they waited together.") {
            "\($0.waited / .seconds(1))"
        }
        lines += series("tenure_database_waits_failed_total", "counter", "Waits that ended without a connection.") {
            "\($0.givenUp)"
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
