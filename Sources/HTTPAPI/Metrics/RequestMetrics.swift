/// Counts requests by method, pattern and status.
///
/// Labels are a closed set: no path, company or person ever becomes one.
actor RequestMetrics {
    /// What is counted apart.
    struct Key: Hashable {
        var method: String
        var route: String
        var status: Int
    }

    /// The upper bounds of the histogram, in seconds.
    static let bounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private var requests: [Key: Int] = [:]
    private var durations: [String: Histogram] = [:]
    private var inFlight = 0

    /// A request has arrived.
    func begin() { inFlight += 1 }

    /// A request is answered.
    func end(method: String, route: String, status: Int, seconds: Double) {
        inFlight -= 1
        requests[Key(method: method, route: route, status: status), default: 0] += 1
        durations[route, default: Histogram()].record(seconds, bounds: Self.bounds)
    }

    /// The counters in the Prometheus text format 0.0.4.
    func text() -> String {
        var lines = [
            "# HELP tenure_http_requests_total Requests answered.", "# TYPE tenure_http_requests_total counter",
        ]
        lines += requests.map { key, count in
            "tenure_http_requests_total{method=\"\(key.method)\",route=\"\(key.route)\",status=\"\(key.status)\"} \(count)"
        }.sorted()
        lines += [
            "# HELP tenure_http_request_duration_seconds Time from the head of a request to its answer.",
            "# TYPE tenure_http_request_duration_seconds histogram",
        ]
        for (route, histogram) in durations.sorted(by: { $0.key < $1.key }) {
            lines += histogram.lines("tenure_http_request_duration_seconds", route: route, bounds: Self.bounds)
        }
        lines += [
            "# HELP tenure_http_requests_in_flight Requests being answered.",
            "# TYPE tenure_http_requests_in_flight gauge", "tenure_http_requests_in_flight \(inFlight)", "",
        ]
        return lines.joined(separator: "\n")
    }
}
