/// How often and how long a call is tried again.
public struct RetryPolicy: Sendable {
    /// How many times a request is sent at most.
    public var attempts: Int
    /// The wait before the second time; it doubles.
    public var firstWait: Duration
    /// The longest wait that a response may ask for.
    public var longestWait: Duration

    /// Describes a policy; the default sends four times and waits ten seconds at most.
    public init(
        attempts: Int = 4, firstWait: Duration = .milliseconds(200), longestWait: Duration = .seconds(10)
    ) {
        self.attempts = max(1, attempts)
        self.firstWait = firstWait
        self.longestWait = longestWait
    }

    /// The wait before sending for the time after `attempt` (from 1), or nil when that was the last.
    ///
    /// A response that asks for more than the longest wait is handed to the caller instead. `draw`, from 0 to 1, is a
    /// random number: the own wait is between its half and its whole, so that many clients do not come back together.
    func wait(after attempt: Int, retryAfter: Int?, draw: Double = 1) -> Duration? {
        guard attempt < attempts else { return nil }
        let own = min(firstWait * (1 << min(attempt - 1, 16)), longestWait) * (0.5 + draw / 2)
        let asked = retryAfter.map { Duration.seconds($0) } ?? .zero
        guard asked <= longestWait else { return nil }
        return min(max(own, asked), longestWait)
    }
}
