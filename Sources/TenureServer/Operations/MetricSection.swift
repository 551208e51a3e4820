/// A part of the metrics that is collected by itself.
package struct MetricSection: Sendable {
    /// The name of the part, a label of its age.
    package let name: String
    /// Collects the part in the Prometheus text format; empty if it has nothing to tell.
    package let text: @Sendable () async -> String

    package init(_ name: String, _ text: @escaping @Sendable () async -> String) {
        self.name = name
        self.text = text
    }
}

/// Collects parts of the metrics within a time, whatever one of them waits for.
///
/// A part that takes longer goes on, and is told as it was last. Each part is collected at most once at a time, however
/// many ask. So a database that does not answer delays no scrape, and scrapes do not queue at it.
package actor MetricsCollector {
    /// The time that one call waits for the parts.
    package static let patience: Duration = .milliseconds(500)

    private let sections: [MetricSection]
    private let patience: Duration
    private var known: [String: (text: String, at: ContinuousClock.Instant)] = [:]
    private var underWay: Set<String> = []
    private var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    private var calls = 0

    /// Collects these parts. Their names differ.
    package init(_ sections: [MetricSection], patience: Duration = patience) {
        self.sections = sections
        self.patience = patience
    }

    /// Returns all parts in their order, with the age of each.
    package func text() async -> String {
        for section in sections where underWay.insert(section.name).inserted {
            Task { keep(await section.text(), of: section.name) }
        }
        if !underWay.isEmpty { await waitForAll() }
        return sections.compactMap { known[$0.name]?.text }.joined() + ages()
    }

    private func keep(_ text: String, of name: String) {
        known[name] = (text, .now)
        underWay.remove(name)
        guard underWay.isEmpty else { return }
        for waiter in waiters.values { waiter.finish() }
    }

    /// Waits until no part is under way, or the patience is over.
    private func waitForAll() async {
        let (stream, waiter) = AsyncStream<Void>.makeStream()
        calls += 1
        let call = calls
        waiters[call] = waiter
        let timer = Task { [patience] in
            try? await Task.sleep(for: patience)
            waiter.finish()
        }
        for await _ in stream {}
        timer.cancel()
        waiters[call] = nil
    }

    private func ages() -> String {
        guard !sections.isEmpty else { return "" }
        let lines = sections.map { section in
            let age = known[section.name].map { ContinuousClock.now - $0.at }
            // The whole seconds since; a part that was never told is infinitely old.
            return "tenure_metrics_age_seconds{section=\"\(section.name)\"} "
                + (age.map { String($0.components.seconds) } ?? "+Inf")
        }
        return """
            # HELP tenure_metrics_age_seconds How old a part of these metrics is. A part that is late is told again.
            # TYPE tenure_metrics_age_seconds gauge
            \(lines.joined(separator: "\n"))

            """
    }
}
