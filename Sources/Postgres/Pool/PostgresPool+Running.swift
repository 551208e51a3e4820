import Logging
import ServiceLifecycle

extension PostgresPool {
    /// After this age a connection is not lent again, so that a moved server is found and memory does not grow.
    static let maximumAge: Duration = .seconds(3600)

    /// Opens connections as they are needed, until the task is cancelled or a graceful shutdown begins.
    ///
    /// A graceful shutdown lends no more and waits for what is lent; cancellation does not wait, and a connection that
    /// comes back later is closed then. Run it once.
    public func run() async throws {
        state.withLock { $0.isRunning = true }
        await withTaskCancellationOrGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await command in commands {
                    switch command {
                    case .open(let slot): group.addTask { await self.open(slot) }
                    case .checkDrained: if state.withLock({ $0.machine.isDrained }) { commander.finish() }
                    }
                    // A cancelled task's stream ends by itself.
                }
                group.cancelAll()
            }
        } onCancelOrGracefulShutdown: {
            self.shutDown()
        }
        shutDown()
        state.withLock { $0.isRunning = false }
    }

    /// Turns waiting callers away and closes what is idle.
    func shutDown() {
        let (closing, refused) = state.withLock { state -> ([PooledConnection], [Reactor.Ticket]) in
            let (slots, waiters) = state.machine.stop()
            return (slots.compactMap { state.connections.removeValue(forKey: $0) }, waiters)
        }
        for ticket in refused { Reactor.shared?.signal(ticket) }
        // The connections close as the last reference to them goes.
        _ = consume closing
        commander.yield(.checkDrained)
    }

    private func open(_ slot: Slot) async {
        while true {
            do throws(PostgresError) {
                let connection = try await PostgresConnection.connect(configuration, logger: logger)
                // Ages differ, so that connections opened together are not all replaced together.
                let expiry = Reactor.Instant.now + Self.maximumAge * Double.random(in: 0.8...1)
                return offer(PooledConnection(connection, expiry: expiry), slot)
            } catch {
                let failure = error
                let action = state.withLock { state in
                    state.lastFailure = failure
                    return state.machine.openFailed(slot)
                }
                guard case .backOff(let attempt) = action, failure.code != .cancelled else { return abandon(slot) }
                logger.warning(
                    "the database cannot be reached",
                    metadata: ["error": "\(failure)", "attempt": "\(attempt)"])
                let pause = min(Duration.milliseconds(25) * (1 << min(attempt, 8)), .seconds(2))
                do { try await Task.sleep(for: pause * Double.random(in: 0.5...1)) } catch { return abandon(slot) }
                guard state.withLock({ $0.machine.retry(slot) }) else { return abandon(slot) }
            }
        }
    }

    private func offer(_ connection: PooledConnection, _ slot: Slot) {
        let action = state.withLock { state in
            state.lastFailure = nil
            state.connections[slot] = connection
            let action = state.machine.opened(slot)
            state.apply(action, slot)
            return action
        }
        carryOut(action)
    }

    /// Nothing will be opened for this slot.
    private func abandon(_ slot: Slot) {
        let isDrained = state.withLock { state in
            state.machine.abandonOpening(slot)
            return state.machine.isDrained
        }
        if isDrained { commander.yield(.checkDrained) }
    }
}
