/// Counts requests by method, path pattern and status.
///
/// The labels are a closed set: no path, tenant or person becomes a label.
actor RequestMetrics {
    /// The labels of a counter.
    struct Key: Hashable {
        var method: String
        var route: String
        var status: Int
    }

    /// The upper bounds of the histogram's buckets, in seconds.
    static let bounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private var requests: [Key: Int] = [:]
    private var durations: [String: Histogram] = [:]
    private var inFlight = 0

    /// Counts a request as in flight.
    func begin() { inFlight += 1 }

    /// Counts a request as answered.
    func end(method: String, route: String, status: Int, seconds: Double) {
        inFlight -= 1
        requests[Key(method: method, route: route, status: status), default: 0] += 1
        durations[route, default: Histogram()].record(seconds, bounds: Self.bounds)
    }

    /// Renders the metrics in the Prometheus text format 0.0.4.
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

/// A histogram of durations.
struct Histogram {
    private var counts: [Int] = []
    private var count = 0
    private var sum = 0.0

    /// Records one duration.
    mutating func record(_ seconds: Double, bounds: [Double]) {
        if counts.isEmpty { counts = Array(repeating: 0, count: bounds.count) }
        for (index, bound) in bounds.enumerated() where seconds <= bound { counts[index] += 1 }
        count += 1
        sum += seconds
    }

    /// Renders the lines of one series.
    func lines(_ name: String, route: String, bounds: [Double]) -> [String] {
        let buckets = zip(bounds, counts).map { bound, count in
            "\(name)_bucket{route=\"\(route)\",le=\"\(bound)\"} \(count)"
        }
        return buckets + [
            "\(name)_bucket{route=\"\(route)\",le=\"+Inf\"} \(count)", "\(name)_sum{route=\"\(route)\"} \(sum)",
            "\(name)_count{route=\"\(route)\"} \(count)",
        ]
    }
}
