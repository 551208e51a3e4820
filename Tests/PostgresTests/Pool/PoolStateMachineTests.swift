import Testing

@testable import Postgres

struct PoolStateMachineTests {
    typealias Machine = PoolStateMachine<Int>

    private func opened(_ machine: inout Machine, for waiter: Int) throws -> Machine.Slot {
        guard case .wait(let opening) = machine.acquire(waiter) else { throw Unexpected() }
        let slot = try #require(opening)
        #expect(machine.opened(slot) == .handTo(waiter))
        return slot
    }
    private struct Unexpected: Error {}

    @Test func `the first caller makes the pool open a connection and gets it`() throws {
        var machine = Machine(capacity: 2, maximumWaiting: 10)
        let slot = try opened(&machine, for: 1)
        #expect(machine.lent == [slot])
        #expect(machine.release(slot, isReusable: true) == .keepIdle)
        #expect(machine.acquire(2) == .lend(slot))
    }

    @Test func `no more connections than the capacity are opened`() throws {
        var machine = Machine(capacity: 2, maximumWaiting: 10)
        _ = try opened(&machine, for: 1)
        _ = try opened(&machine, for: 2)
        #expect(machine.acquire(3) == .wait(opening: nil))
        #expect(machine.connectionCount == 2)
    }

    @Test func `callers are served in the order of their arrival`() throws {
        var machine = Machine(capacity: 1, maximumWaiting: 10)
        let slot = try opened(&machine, for: 0)
        for waiter in 1...5 { #expect(machine.acquire(waiter) == .wait(opening: nil)) }
        let did1 = machine.abandon(3)
        #expect(did1)
        for waiter in [1, 2, 4, 5] { #expect(machine.release(slot, isReusable: true) == .handTo(waiter)) }
        #expect(machine.release(slot, isReusable: true) == .keepIdle)
        let did2 = machine.abandon(1)
        #expect(!did2)
    }

    @Test func `a broken connection is replaced only if a caller waits`() throws {
        var machine = Machine(capacity: 1, maximumWaiting: 10)
        let slot = try opened(&machine, for: 0)
        #expect(machine.release(slot, isReusable: false) == .discard(opening: nil))
        #expect(machine.connectionCount == 0)
        let next = try opened(&machine, for: 1)
        #expect(machine.acquire(2) == .wait(opening: nil))
        guard case .discard(let opening?) = machine.release(next, isReusable: false) else { throw Unexpected() }
        #expect(opening != next)
        #expect(machine.opened(opening) == .handTo(2))
    }

    @Test func `a failure to connect is retried while a caller waits`() throws {
        var machine = Machine(capacity: 2, maximumWaiting: 10)
        guard case .wait(let slot?) = machine.acquire(1) else { throw Unexpected() }
        #expect(machine.openFailed(slot) == .backOff(attempt: 1))
        let did3 = machine.retry(slot)
        #expect(did3)
        #expect(machine.openFailed(slot) == .backOff(attempt: 2))
        let did4 = machine.abandon(1)
        #expect(did4)
        let did5 = machine.retry(slot)
        #expect(!did5)
        #expect(machine.connectionCount == 0)
        #expect(machine.failures == 2)
    }

    @Test func `a full queue and a stopped pool refuse callers`() throws {
        var machine = Machine(capacity: 1, maximumWaiting: 2)
        let slot = try opened(&machine, for: 0)
        _ = machine.acquire(1)
        _ = machine.acquire(2)
        #expect(machine.acquire(3) == .refuse(.tooManyWaiting))
        let (close, refuse) = machine.stop()
        #expect(close.isEmpty)
        #expect(refuse == [1, 2])
        #expect(machine.acquire(4) == .refuse(.stopped))
        #expect(!machine.isDrained)
        #expect(machine.release(slot, isReusable: true) == .discard(opening: nil))
        #expect(machine.isDrained)
    }

    @Test func `returning a slot that was not lent changes nothing`() {
        var machine = Machine(capacity: 1, maximumWaiting: 2)
        #expect(machine.release(Machine.Slot(number: 9), isReusable: true) == .discard(opening: nil))
        #expect(machine.opened(Machine.Slot(number: 9)) == .discard(opening: nil))
        #expect(machine.connectionCount == 0)
    }

    /// Random events against a simple model: capacity is never passed, nobody is lost or served twice, order holds.
    @Test(arguments: 0..<40) func `random events keep the invariants`(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        var machine = Machine(capacity: Int.random(in: 1...4, using: &random), maximumWaiting: 50)
        var waiting: [Int] = [], lent: [Machine.Slot] = [], opening: [Machine.Slot] = [], next = 0
        func hand(_ waiter: Int, _ slot: Machine.Slot) {
            #expect(waiting.first == waiter)
            waiting.removeFirst()
            lent.append(slot)
        }
        for _ in 0..<2000 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                next += 1
                switch machine.acquire(next) {
                case .lend(let slot):
                    #expect(waiting.isEmpty)
                    lent.append(slot)
                case .wait(let slot):
                    waiting.append(next)
                    if let slot { opening.append(slot) }
                case .refuse: #expect(waiting.count == 50)
                }
            case 2:
                guard let waiter = waiting.randomElement(using: &random) else { continue }
                let did6 = machine.abandon(waiter)
                #expect(did6)
                waiting.removeAll { $0 == waiter }
            case 3:
                guard let slot = opening.popLast() else { continue }
                if case .handTo(let waiter) = machine.opened(slot) { hand(waiter, slot) }
            case 4:
                guard let slot = opening.first else { continue }
                if machine.openFailed(slot) == .giveUp { opening.removeFirst() }
            default:
                guard !lent.isEmpty else { continue }
                let slot = lent.remove(at: Int.random(in: 0..<lent.count, using: &random))
                switch machine.release(slot, isReusable: Bool.random(using: &random)) {
                case .handTo(let waiter): hand(waiter, slot)
                case .discard(let slot?): opening.append(slot)
                case .discard(nil), .keepIdle: break
                }
            }
            #expect(machine.connectionCount <= machine.capacity)
            #expect(machine.waitingCount == waiting.count)
            #expect(machine.lent == Set(lent))
            #expect(machine.opening == Set(opening))
            #expect(waiting.isEmpty || machine.idle.isEmpty)
            // Whoever waits has a connection on the way, or all are in use.
            #expect(waiting.isEmpty || !opening.isEmpty || lent.count == machine.capacity)
        }
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
}
