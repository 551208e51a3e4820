import Glibc
import Testing

@testable import Postgres

@Suite(.timeLimit(.minutes(5)))
struct ReactorTests {
    private func withPipe(_ body: (Reactor, Int32, Int32) async throws -> Void) async throws {
        let reactor = try #require(Reactor.shared)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try await body(reactor, ends[0], ends[1])
    }

    @Test func `a socket that becomes ready ends the wait`() async throws {
        try await withPipe { reactor, reading, writing in
            async let outcome = reactor.wait(for: .read, of: reading, until: nil, cancellable: true)
            try await Task.sleep(for: .milliseconds(20))
            _ = write(writing, "x", 1)
            #expect(await outcome == .ready)
            #expect(await reactor.wait(for: .write, of: writing, until: nil, cancellable: true) == .ready)
        }
    }

    @Test func `a deadline ends the wait at its time, not before`() async throws {
        try await withPipe { reactor, reading, _ in
            for milliseconds in [120, 1, 40, 0, -5] {
                let deadline = ContinuousClock.now + .milliseconds(milliseconds)
                #expect(await reactor.wait(for: .read, of: reading, until: deadline, cancellable: true) == .timedOut)
                #expect(ContinuousClock.now >= deadline)
            }
        }
    }

    @Test func `many deadlines at once end each at its own time`() async throws {
        let reactor = try #require(Reactor.shared)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let deadline = ContinuousClock.now + .milliseconds(number * 7 % 100)
                    let outcome = await reactor.park(reactor.issueTicket(), until: deadline, cancellable: true)
                    return outcome == .timedOut && ContinuousClock.now >= deadline
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `cancellation ends only a cancellable wait`() async throws {
        try await withPipe { reactor, reading, _ in
            let task = Task { await reactor.wait(for: .read, of: reading, until: nil, cancellable: true) }
            task.cancel()
            #expect(await task.value == .cancelled)
            let deaf = Task {
                await reactor.wait(for: .read, of: reading, until: .now + .milliseconds(50), cancellable: false)
            }
            deaf.cancel()
            #expect(await deaf.value == .timedOut)
        }
    }

    @Test func `a signal before, during or after the wait is handled correctly`() async throws {
        let reactor = try #require(Reactor.shared)
        let early = reactor.issueTicket()
        reactor.signal(early)
        #expect(await reactor.park(early, until: nil, cancellable: true) == .ready)
        reactor.signal(early)
        let parked = reactor.issueTicket()
        async let outcome = reactor.park(parked, until: nil, cancellable: true)
        try await Task.sleep(for: .milliseconds(10))
        reactor.signal(parked)
        #expect(await outcome == .ready)
    }

    @Test func `a descriptor that cannot be watched is a failure, not a hang`() async throws {
        let reactor = try #require(Reactor.shared)
        #expect(await reactor.wait(for: .read, of: -1, until: nil, cancellable: true) == .failed(EBADF))
    }
}
