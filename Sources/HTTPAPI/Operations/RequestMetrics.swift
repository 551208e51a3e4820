/// Counts requests by method, path pattern, status and code of the problem, log-ins by outcome, and the answers of the
/// OpenID provider by client.
///
/// The labels are a closed set, and the ids of clients that the operator registered: no path, tenant or person becomes a
/// label.
actor RequestMetrics {
    /// The labels of a counter.
    struct Key: Hashable {
        var method: String
        var route: String
        var status: Int
        /// The code of the problem document; `nil` for other replies, which have no such label.
        var code: String?
    }

    /// The labels of the counter of the OpenID provider.
    struct OpenIDKey: Hashable {
        /// A registered client; `nil` where a request names none.
        var client: String?
        var outcome: OpenIDOutcome
        var cause: String?
    }

    /// The upper bounds of the histogram's buckets, in seconds.
    static let bounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private var requests: [Key: Int] = [:]
    private var durations: [String: Histogram] = [:]
    private var logins: [LoginOutcome: Int] = [:]
    private var openID: [OpenIDKey: Int] = [:]
    private var inFlight = 0

    /// Counts a request as in flight.
    func begin() { inFlight += 1 }

    /// Counts a request as answered.
    ///
    /// - Parameters:
    ///   - login: What it ended a log-in with.
    ///   - answer: What it was answered with by the OpenID provider.
    func end(_ key: Key, login: LoginOutcome? = nil, openID answer: OpenIDKey? = nil, seconds: Double) {
        inFlight -= 1
        requests[key, default: 0] += 1
        durations[key.route, default: Histogram()].record(seconds, bounds: Self.bounds)
        if let login { logins[login, default: 0] += 1 }
        if let answer { openID[answer, default: 0] += 1 }
    }

    /// Renders the metrics in the Prometheus text format 0.0.4.
    func text() -> String {
        var lines = [
            "# HELP tenure_http_requests_total Requests answered.", "# TYPE tenure_http_requests_total counter",
        ]
        lines += requests.map { key, count in
            let code = key.code.map { ",code=\"\($0)\"" } ?? ""
            let labels = "method=\"\(key.method)\",route=\"\(key.route)\",status=\"\(key.status)\"" + code
            return "tenure_http_requests_total{\(labels)} \(count)"
        }.sorted()
        lines += [
            "# HELP tenure_logins_total Log-ins that ended, and steps of log-ins that were refused or failed.",
            "# TYPE tenure_logins_total counter",
        ]
        lines += LoginOutcome.allCases.map { "tenure_logins_total{outcome=\"\($0.rawValue)\"} \(logins[$0] ?? 0)" }
        lines += [
            "# HELP tenure_openid_answers_total Answers of the OpenID provider to clients and browsers.",
            "# TYPE tenure_openid_answers_total counter",
        ]
        lines += openID.map { key, count in
            let labels = "client=\"\(key.client ?? "none")\",outcome=\"\(key.outcome.label)\""
            let cause = key.cause.map { ",cause=\"\($0)\"" } ?? ""
            return "tenure_openid_answers_total{\(labels)\(cause)} \(count)"
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
