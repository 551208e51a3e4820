import Logging
import ServiceLifecycle
import Synchronization

/// The first part of a stop: the service is no longer ready, and still serves.
///
/// A load balancer needs a moment to notice that an instance is not ready. What it sends until then is answered. Placed
/// last in a group of services, this one is stopped first, and the others run on until it has ended.
struct Drain: Service {
    /// Whether a stop has begun.
    final class State: Sendable {
        private let hasBegun = Atomic(false)

        /// What readiness reports: one reason while the service stops, none before.
        var missing: [String] { hasBegun.load(ordering: .acquiring) ? ["the service is shutting down"] : [] }

        fileprivate func begin() { hasBegun.store(true, ordering: .releasing) }
    }

    /// How long the service serves after the stop has begun.
    let length: Duration
    let state: State
    let logger: Logger

    func run() async throws {
        // Ends with the shutdown, and with the cancellation of the group after the failure of another service.
        try? await gracefulShutdown()
        state.begin()
        guard length > .zero, !Task.isCancelled else { return }
        logger.info("shutting down", metadata: ["draining": "\(length)"])
        try? await Task.sleep(for: length)
    }
}
