/// One command and its answer: what has happened to it besides the answer itself.
struct Exchange {
    /// What a Swift cancellation does to the command.
    enum Cancellation {
        /// The server is asked to stop, and the answer is awaited.
        case allowed
        /// It is not looked at: COMMIT and ROLLBACK must be finished.
        case ignored
        /// The server has been asked; after `until` the connection is closed.
        case requested(until: Reactor.Instant, attempt: Int)
    }

    var cancellation: Cancellation
    /// The connection is gone; what libpq still holds may be read.
    var isLost = false

    init(isCancellable: Bool = true) { cancellation = isCancellable ? .allowed : .ignored }

    var wasCancelled: Bool { if case .requested = cancellation { true } else { false } }

    /// How long the server has to answer a cancel request before the connection is closed.
    static let cancelGrace: Duration = .seconds(5)
    /// How long to wait before a cancel request is sent again: one that arrives before its statement has no effect.
    static func pause(afterAttempt attempt: Int) -> Duration { .milliseconds(20 << min(attempt, 5)) }
}
