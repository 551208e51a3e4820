/// How often to look for new events: soon again while there are some that views take, less often while there are none, and
/// never for more than a fifth of the time while there are none at all.
struct PollPace: Sendable {
    /// The pause after something was found; also the tick that drives looking.
    static let shortest: Duration = .milliseconds(50)
    /// The pause after nothing was found for a while that a view takes.
    static let longest: Duration = .milliseconds(200)
    /// The pause after a look before a nudge makes the next one: what is written meanwhile is found together.
    static let nudged: Duration = .milliseconds(10)

    /// What a look found.
    enum Found: Sendable {
        /// Events that a view may take.
        case changes
        /// Events that no view takes: only positions moved.
        case positions
        case nothing
    }

    private var pause = shortest
    private var last: ContinuousClock.Instant?

    /// Whether it is time to look.
    func isDue(at now: ContinuousClock.Instant) -> Bool { last.map { now - $0 >= pause } ?? true }

    /// How long a nudge has to wait.
    func gap(at now: ContinuousClock.Instant) -> Duration {
        last.map { min(max(Self.nudged - (now - $0), .zero), Self.nudged) } ?? .zero
    }

    /// Takes note of a look that ended `now` and took `duration`.
    mutating func looked(_ found: Found, took duration: Duration, at now: ContinuousClock.Instant) {
        last = now
        let longer = min(pause * 3 / 2, Self.longest)
        switch found {
        case .changes: pause = Self.shortest
        case .positions: pause = longer
        case .nothing: pause = max(longer, duration * 4)
        }
    }

    /// Takes note of a look that failed: the database is not to be pressed.
    mutating func failed(at now: ContinuousClock.Instant) {
        last = now
        pause = .seconds(1)
    }

    /// Takes note that it is another program's turn.
    mutating func waits(at now: ContinuousClock.Instant) {
        last = now
        pause = Self.longest
    }
}
