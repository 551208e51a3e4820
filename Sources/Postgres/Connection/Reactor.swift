import CLibPQ
import Glibc

/// Resumes tasks when a socket is ready, a deadline passes or they are signalled, from one epoll thread.
///
/// It never reads from a socket; libpq does. Waits are identified by an increasing ticket, not by file descriptor,
/// because libpq may close a socket and open another one with the same number.
final class Reactor: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Readiness: Sendable { case read, write, readOrWrite }

    enum Outcome: Sendable, Equatable {
        case ready, cancelled, timedOut
        /// The system refused to watch the socket; the value is `errno`.
        case failed(Int32)
    }

    /// Identifies one wait. Tickets are never reused.
    struct Ticket: Sendable, Hashable { fileprivate let number: UInt64 }

    /// Safe: a continuation leaves the table before it is resumed, so it is resumed once.
    @safe
    private enum Entry {
        case issued
        case waiting(UnsafeContinuation<Outcome, Never>, deadline: Instant?)
        case finishedEarly(Outcome)
    }

    private struct State {
        var nextTicket: UInt64 = 1
        var entries: [Ticket: Entry] = [:]
        /// When the thread next checks the deadlines. Waits that end before it cost nothing.
        var nextCheck: Instant?
    }

    /// The process's reactor, or `nil` if the system had no file descriptors or threads left at first use.
    static let shared = Reactor()

    private let state = Lock(State())
    private let epoll: Int32
    private let alarm: Int32

    private init?() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        alarm = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data(u64: 0))
        guard epoll >= 0, alarm >= 0, unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, alarm, &event) == 0 else { return nil }
        guard HelperThread.start({ [self] in run() }) else { return nil }
    }

    /// Issues a ticket. Pass it to ``park(_:until:cancellable:)``, which retires it, or to ``retire(_:)``.
    func issueTicket() -> Ticket {
        state.withLock { state in
            let ticket = Ticket(number: state.nextTicket)
            state.nextTicket += 1
            state.entries[ticket] = .issued
            return ticket
        }
    }

    /// Drops a ticket that was not waited for.
    func retire(_ ticket: Ticket) { state.withLock { _ = $0.entries.removeValue(forKey: ticket) } }

    /// Waits until `socket` is ready or `deadline` passes. Without `cancellable` it ignores the task's cancellation.
    func wait(
        for readiness: Readiness, of socket: Int32, until deadline: Instant?, cancellable: Bool
    ) async -> Outcome {
        await wait(issueTicket(), Interest(socket: socket, readiness: readiness), deadline, cancellable)
    }

    /// Waits until ``signal(_:)`` is called with the same ticket, which may already have happened.
    func park(_ ticket: Ticket, until deadline: Instant?, cancellable: Bool) async -> Outcome {
        await wait(ticket, nil, deadline, cancellable)
    }

    /// Ends the wait of a parked ticket. Does nothing if it has already ended.
    func signal(_ ticket: Ticket) { finish(ticket, .ready) }

    private struct Interest {
        let socket: Int32
        let readiness: Readiness
    }

    private func wait(
        _ ticket: Ticket, _ interest: Interest?, _ deadline: Instant?, _ cancellable: Bool
    ) async -> Outcome {
        defer { retire(ticket) }
        guard cancellable else { return await suspend(ticket, interest, deadline) }
        return await withTaskCancellationHandler {
            await suspend(ticket, interest, deadline)
        } onCancel: {
            finish(ticket, .cancelled)
        }
    }

    private func suspend(_ ticket: Ticket, _ interest: Interest?, _ deadline: Instant?) async -> Outcome {
        await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<Outcome, Never>) in
            // The lock covers both inserting and arming, so a cancellation cannot fall between the two.
            let early = state.withLock { state -> Outcome? in
                if case .finishedEarly(let outcome)? = state.entries[ticket] { return outcome }
                if let interest, let failure = arm(interest, ticket) { return .failed(failure) }
                state.entries[ticket] = unsafe .waiting(continuation, deadline: deadline)
                schedule(deadline, &state)
                return nil
            }
            if let early { unsafe continuation.resume(returning: early) }
        }
    }

    private func finish(_ ticket: Ticket, _ outcome: Outcome) {
        let continuation = unsafe state.withLock { state -> UnsafeContinuation<Outcome, Never>? in
            switch state.entries[ticket] {
            case .waiting(let continuation, _):
                state.entries[ticket] = nil
                return unsafe continuation
            case .issued:
                state.entries[ticket] = .finishedEarly(outcome)
                return nil
            case .finishedEarly, nil:
                return nil
            }
        }
        unsafe continuation?.resume(returning: outcome)
    }

    private func arm(_ interest: Interest, _ ticket: Ticket) -> Int32? {
        let events =
            switch interest.readiness {
            case .read: EPOLLIN.rawValue
            case .write: EPOLLOUT.rawValue
            case .readOrWrite: EPOLLIN.rawValue | EPOLLOUT.rawValue
            }
        var event = unsafe epoll_event(events: events | EPOLLONESHOT.rawValue, data: epoll_data(u64: ticket.number))
        if unsafe epoll_ctl(epoll, EPOLL_CTL_MOD, interest.socket, &event) == 0 { return nil }
        // The socket is new to epoll, or has the number of an earlier one.
        guard errno == ENOENT else { return errno }
        return unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, interest.socket, &event) == 0 ? nil : errno
    }

    // MARK: Deadlines

    private func schedule(_ deadline: Instant?, _ state: inout State) {
        guard let deadline else { return }
        if let nextCheck = state.nextCheck, nextCheck <= deadline { return }
        state.nextCheck = deadline
        var one: UInt64 = 1
        _ = unsafe write(alarm, &one, 8)
    }

    /// Ends the waits whose deadline has passed. Returns the milliseconds until the next check, or -1 if there is none.
    private func expire() -> Int32 {
        let now = Instant.now
        let (due, nextCheck) = state.withLock { state -> ([Ticket], Instant?) in
            guard let nextCheck = state.nextCheck, nextCheck <= now else { return ([], state.nextCheck) }
            var due: [Ticket] = []
            var earliest: Instant?
            for (ticket, entry) in state.entries {
                guard case .waiting(_, let deadline?) = entry else { continue }
                if deadline <= now { due.append(ticket) } else { earliest = min(earliest ?? deadline, deadline) }
            }
            state.nextCheck = earliest
            return (due, earliest)
        }
        for ticket in due { finish(ticket, .timedOut) }
        guard let nextCheck else { return -1 }
        // Adds a millisecond to the truncated rest, so that the thread does not wake just before the deadline.
        let rest = (nextCheck - now) / .milliseconds(1)
        return Int32(min(max(rest, 0), 3_600_000)) + 1
    }

    // MARK: The thread

    private func run() {
        var events = unsafe [epoll_event](repeating: epoll_event(), count: 128)
        while true {
            let timeout = expire()
            // A negative count is EINTR, because the constant arguments were valid at the first call.
            let count = unsafe epoll_wait(epoll, &events, 128, timeout)
            for index in 0..<Int(max(0, count)) {
                let number = unsafe events[index].data.u64
                if number == 0 { drainAlarm() } else { finish(Ticket(number: number), .ready) }
            }
        }
    }

    private func drainAlarm() {
        var value: UInt64 = 0
        _ = unsafe read(alarm, &value, 8)
    }
}

/// Runs the few blocking calls of libpq on threads of their own: name resolution while connecting, and `PQcancel`.
enum HelperThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread. Returns `false` if the system gave no thread; `body` then does not run.
    ///
    /// The thread starts detached. `pthread_detach` on a thread that ends at that moment reads memory that the thread
    /// gives back, in the C library of Debian 12.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t(), attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(&attributes) }
        guard unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) == 0 else { return false }
        let work = unsafe Unmanaged.passRetained(Work(body))
        let failure = unsafe pthread_create(
            &thread, &attributes,
            { raw in
                if let raw = unsafe raw { unsafe Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard failure == 0 else {
            unsafe work.release()
            return false
        }
        return true
    }
}
