/// How far a piece of work has come and how fast it goes; pure, the caller brings the time.
struct ProgressMeter: Sendable {
    /// What is counted, in the plural: `events`.
    let unit: String
    /// How many there are; `nil` when nobody knows.
    let total: Int64?
    /// How many are done.
    private(set) var done: Int64 = 0
    /// Time since the start of the work at the last update.
    private(set) var elapsed: Duration = .zero
    private var samples: [(elapsed: Duration, done: Int64)] = [(.zero, 0)]

    /// The rate is that of this window, so that it follows a change of speed without trembling.
    private static let window: Duration = .seconds(10)

    init(unit: String, total: Int64?) {
        self.unit = unit
        self.total = total
    }

    /// Records that `done` are done after `elapsed`.
    mutating func update(done: Int64, elapsed: Duration) {
        self.done = done
        self.elapsed = elapsed
        // A sample per half second is plenty, and bounds their number.
        if let last = samples.last, elapsed - last.elapsed >= .milliseconds(500) { samples.append((elapsed, done)) }
        while samples.count > 2, elapsed - samples[1].elapsed > Self.window { samples.removeFirst() }
    }

    /// Done per second, within the window; `nil` before there is anything to say.
    var rate: Double? {
        guard let first = samples.first else { return nil }
        let seconds = (elapsed - first.elapsed).seconds
        return seconds > 0 && done > first.done ? Double(done - first.done) / seconds : nil
    }

    /// From 0 to 1; `nil` when the total is not known.
    var fraction: Double? {
        guard let total else { return nil }
        return total == 0 ? 1 : min(1, Double(done) / Double(total))
    }

    /// How long the rest takes at this rate.
    var remaining: Duration? {
        guard let total, let rate, rate > 0 else { return nil }
        return .seconds(Double(max(0, total - done)) / rate)
    }
}

extension Duration {
    /// The duration in seconds, fractions included.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
