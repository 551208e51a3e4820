import CLibPQ
import Glibc

/// One epoll thread that resumes tasks when a socket is ready, a deadline has passed or somebody signals them.
///
/// It never reads from a socket: libpq does. Waiters are known by a growing ticket, not by file descriptor, because
/// libpq may close a socket and open another one with the same number.
final class Reactor: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Readiness: Sendable { case read, write, readOrWrite }

    enum Outcome: Sendable, Equatable {
        case ready, cancelled, timedOut
        /// The system refused to watch the socket; the value is `errno`.
        case failed(Int32)
    }

    /// Names one wait, for good: tickets are never used twice.
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
        /// When the thread looks at the deadlines next. Waits that end before it cost nothing.
        var nextCheck: Instant?
    }

    /// The process's reactor; nil when the system has no file descriptors or threads left at first use.
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

    /// A new ticket. It must be given to ``park(_:until:cancellable:)``, which retires it, or to ``retire(_:)``.
    func issueTicket() -> Ticket {
        state.withLock { state in
            let ticket = Ticket(number: state.nextTicket)
            state.nextTicket += 1
            state.entries[ticket] = .issued
            return ticket
        }
    }

    /// Drops a ticket nobody has waited for.
    func retire(_ ticket: Ticket) { state.withLock { _ = $0.entries.removeValue(forKey: ticket) } }

    /// Waits until `socket` is ready, or `deadline`. Without `cancellable` the task's cancellation is not looked at.
    func wait(
        for readiness: Readiness, of socket: Int32, until deadline: Instant?, cancellable: Bool
    ) async -> Outcome {
        await wait(issueTicket(), Interest(socket: socket, readiness: readiness), deadline, cancellable)
    }

    /// Waits until somebody calls ``signal(_:)`` with the same ticket, which may already have happened.
    func park(_ ticket: Ticket, until deadline: Instant?, cancellable: Bool) async -> Outcome {
        await wait(ticket, nil, deadline, cancellable)
    }

    /// Ends the wait of a parked ticket; does nothing when it has ended already.
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
            // The lock is held across "insert, then arm": a cancellation cannot fall between the two.
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
        // A socket that is new to epoll, or a new socket under an old number.
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

    /// Ends the waits whose time is over; returns the milliseconds until the next look, -1 for none.
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
        // One millisecond more than the truncated rest, so that the thread does not wake just before the deadline.
        let rest = (nextCheck - now) / .milliseconds(1)
        return Int32(min(max(rest, 0), 3_600_000)) + 1
    }

    // MARK: The thread

    private func run() {
        var events = unsafe [epoll_event](repeating: epoll_event(), count: 128)
        while true {
            let timeout = expire()
            // A negative count is EINTR: the arguments are constant and were good the first time.
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
