extension PostgresPool {
    /// The idle time after which a connection is pinged before it is lent.
    static let restBeforePing: Duration = .seconds(30)
    /// How long the answer to the ping may take.
    static let pingTimeout: Duration = .seconds(2)

    /// Returns a healthy connection within the acquire timeout and the task's ``ConnectionPatience``.
    func acquire() async throws(PostgresError) -> BorrowedConnection {
        guard let reactor = Reactor.shared else {
            throw PostgresError(.connection, "the system could not create an epoll, an eventfd or a thread")
        }
        let patience = ConnectionPatience.current, began = Reactor.Instant.now
        let deadline = began + min(acquireTimeout, patience?.left ?? acquireTimeout)
        defer { patience?.spend(Reactor.Instant.now - began) }
        while true {
            let slot = try await acquireSlot(reactor, deadline)
            guard let resting = state.withLock({ $0.connections.removeValue(forKey: slot) }),
                let connection = resting.take()
            else {
                perform(slot, isReusable: false)
                continue
            }
            var lease = BorrowedConnection(slot: slot, expiry: resting.expiry, connection: connection)
            if await isHealthy(&lease.connection, restingSince: resting.lastUse) { return lease }
            // Closed before the next try, so that the pool does not exceed the server's connection limit.
            lease.connection.close()
            perform(slot, isReusable: false)
        }
    }

    private func isHealthy(_ connection: inout PostgresConnection, restingSince: Reactor.Instant) async -> Bool {
        guard connection.session.isAlive() else { return false }
        guard Reactor.Instant.now - restingSince > Self.restBeforePing else { return true }
        return await connection.session.answers(within: Self.pingTimeout)
    }

    private func acquireSlot(_ reactor: Reactor, _ deadline: Reactor.Instant) async throws(PostgresError) -> Slot {
        if Task.isCancelled { throw PostgresError(.cancelled, "the task was cancelled") }
        let ticket = reactor.issueTicket()
        let action = state.withLock { $0.machine.acquire(ticket) }
        switch action {
        case .lend(let slot):
            reactor.retire(ticket)
            return slot
        case .refuse(let refusal):
            reactor.retire(ticket)
            throw PostgresError(
                .poolExhausted,
                refusal == .stopped ? "the pool has stopped" : "too many callers are waiting for a connection")
        case .wait(let opening):
            if let opening { commander.yield(.open(opening)) }
        }
        let began = Reactor.Instant.now
        let outcome = await reactor.park(ticket, until: deadline, cancellable: true)
        let (slot, failure) = state.withLock { state -> (Slot?, PostgresError?) in
            state.waits += 1
            state.waited += Reactor.Instant.now - began
            if let slot = state.handed.removeValue(forKey: ticket) { return (slot, nil) }
            _ = state.machine.abandon(ticket)
            state.givenUp += 1
            return (nil, state.lastFailure)
        }
        if let slot {
            // The connection was handed over in the moment of cancellation: pass it to the next waiter.
            guard outcome == .cancelled else { return slot }
            putBackUnused(slot)
        }
        throw Self.refusal(outcome, failure)
    }

    private static func refusal(_ outcome: Reactor.Outcome, _ failure: PostgresError?) -> PostgresError {
        switch outcome {
        case .cancelled: return PostgresError(.cancelled, "the task was cancelled while it waited for a connection")
        case .ready: return failure ?? PostgresError(.poolExhausted, "the pool has stopped")
        case .timedOut, .failed:
            return failure ?? PostgresError(.poolExhausted, "no connection was free in time")
        }
    }

    /// Takes a connection back after use.
    func giveBack(_ lease: consuming BorrowedConnection) {
        let slot = lease.slot, expiry = lease.expiry
        var connection = lease.connection
        guard connection.session.isReusable, Reactor.Instant.now < expiry else {
            connection.close()
            return perform(slot, isReusable: false)
        }
        let resting = PooledConnection(connection, expiry: expiry)
        state.withLock { $0.connections[slot] = resting }
        perform(slot, isReusable: true)
    }

    private func putBackUnused(_ slot: Slot) { perform(slot, isReusable: true) }

    /// Tells the state machine that a slot is free, and carries out its decision.
    private func perform(_ slot: Slot, isReusable: Bool) {
        let action = state.withLock { state in
            let action = state.machine.release(slot, isReusable: isReusable)
            state.apply(action, slot)
            return action
        }
        carryOut(action)
    }

    /// The part of a decision that happens outside the lock.
    func carryOut(_ action: Machine.OfferAction) {
        switch action {
        case .handTo(let ticket): Reactor.shared?.signal(ticket)
        case .keepIdle: break
        case .discard(let opening): if let opening { commander.yield(.open(opening)) }
        }
        if state.withLock({ $0.machine.isDrained }) { commander.yield(.checkDrained) }
    }
}

extension PoolState {
    /// The part of a decision that must happen under the lock.
    mutating func apply(_ action: PostgresPool.Machine.OfferAction, _ slot: PostgresPool.Slot) {
        switch action {
        case .handTo(let ticket): handed[ticket] = slot
        case .keepIdle: break
        case .discard: connections[slot] = nil
        }
    }
}

extension Session {
    /// Whether the server answers an empty statement in time. Closes the connection if it does not.
    fileprivate func answers(within timeout: Duration) async -> Bool {
        answerTimeoutOverride = timeout
        defer { answerTimeoutOverride = nil }
        do { try await command("") } catch { return false }
        return true
    }
}
