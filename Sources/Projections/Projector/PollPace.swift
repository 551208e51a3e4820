/// How often to look for new events: soon again while there are some that views take, less often while there are none, and
/// then never for more than a fifth of the time.
struct PollPace: Sendable {
    /// The pause after something was found; also the tick that drives looking.
    static let shortest: Duration = .milliseconds(50)
    /// The pause after nothing was found for a while.
    static let longest: Duration = .milliseconds(200)
    /// The pause after a look before a nudge makes the next one: what is written meanwhile is found together.
    static let nudged: Duration = .milliseconds(10)

    private var pause = shortest
    private var last: ContinuousClock.Instant?

    /// Whether it is time to look.
    func isDue(at now: ContinuousClock.Instant) -> Bool { last.map { now - $0 >= pause } ?? true }

    /// How long a nudge has to wait.
    func gap(at now: ContinuousClock.Instant) -> Duration {
        last.map { min(max(Self.nudged - (now - $0), .zero), Self.nudged) } ?? .zero
    }

    /// Takes note of a look that ended `now` and took `duration`.
    mutating func looked(found: Bool, took duration: Duration, at now: ContinuousClock.Instant) {
        last = now
        pause = found ? Self.shortest : max(min(pause * 3 / 2, Self.longest), duration * 4)
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
