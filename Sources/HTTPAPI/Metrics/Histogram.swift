/// How often a duration was at most each of some bounds.
struct Histogram {
    private var counts: [Int] = []
    private var count = 0
    private var sum = 0.0

    /// Counts one duration.
    mutating func record(_ seconds: Double, bounds: [Double]) {
        if counts.isEmpty { counts = Array(repeating: 0, count: bounds.count) }
        for (index, bound) in bounds.enumerated() where seconds <= bound { counts[index] += 1 }
        count += 1
        sum += seconds
    }

    /// The lines of one series.
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
