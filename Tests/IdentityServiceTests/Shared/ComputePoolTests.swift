import ErrorCodes
import Foundation
import Testing

#if os(Linux)
import Glibc
#endif

@testable import IdentityService

struct ComputePoolTests {
    private let lane = AdmissionLane(app: UUID(), tenant: UUID(), isKnownDevice: false)

    @Test func `work runs off the cooperative pool and returns its result`() async throws {
        // Again and again, because a thread that named itself too early would keep another's name only now and then.
        for _ in 0..<100 {
            let pool = ComputePool(threads: 2, waiting: 2)
            let name = try await pool.admitted(lane) { admission in
                try await admission.run { Thread.current.name ?? "" }
            }
            #expect(name.hasPrefix("tenure-compute"))
        }
    }

    @Test func `a known device is served while strangers hold every thread that yields`() async throws {
        let pool = ComputePool(threads: 1, waiting: 8, yields: true)
        let known = AdmissionLane(app: lane.app, tenant: lane.tenant, isKnownDevice: true)
        let release = DispatchSemaphore(value: 0)
        let (running, announce) = AsyncStream<String>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await pool.admitted(lane) { admission in
                        try await admission.run {
                            announce.yield(Thread.current.name ?? "")
                            release.wait()
                        }
                    }
                }
            }
            var names = running.makeAsyncIterator()
            let stranger = await names.next()
            let owner = try await pool.admitted(known) { admission in
                try await admission.run { Thread.current.name ?? "" }
            }
            #expect(stranger == "tenure-compute0" && owner == "tenure-known")
            release.signal()
            release.signal()
            try await group.waitForAll()
            // The second stranger waited for the first although the thread of known devices was free.
            let second = await names.next()
            #expect(second == "tenure-compute0")
        }
    }

    #if os(Linux)
    @Test func `only the thread of known devices keeps the niceness of the process`() async throws {
        let pool = ComputePool(threads: 1, waiting: 8, yields: true)
        let known = AdmissionLane(app: lane.app, tenant: lane.tenant, isKnownDevice: true)
        func niceness(_ lane: AdmissionLane) async throws -> Int32 {
            try await pool.admitted(lane) { admission in
                try await admission.run { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
            }
        }
        // The id of the process names its first thread.
        let process = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid()))
        let ofKnown = try await niceness(known)
        let ofUnknown = try await niceness(lane)
        #expect(ofKnown == process && ofUnknown == max(10, process))
    }
    #endif

    @Test func `an error of the work reaches the caller`() async throws {
        let pool = ComputePool(threads: 1, waiting: 1)
        await #expect(throws: ServiceError(.answersIncorrect)) {
            try await pool.admitted(lane) { admission in
                try await admission.run { throw ServiceError(.answersIncorrect) }
            }
        }
    }

    @Test func `a call beyond the limit is refused before it runs, and admitted again later`() async throws {
        // An app has half the places, and a tenant three quarters of that.
        let pool = ComputePool(threads: 1, waiting: 5)
        let release = DispatchSemaphore(value: 0)
        let (entered, announce) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await pool.admitted(lane) { admission in
                        announce.yield()
                        try await admission.run { release.wait() }
                    }
                }
            }
            var iterator = entered.makeAsyncIterator()
            await iterator.next()
            await iterator.next()
            do {
                try await pool.admitted(lane) { _ in _ = Issue.record("a third caller was admitted") }
            } catch let error as ServiceError {
                #expect(error.code == .serviceBusy)
                #expect(error.retryAfterSeconds == 1)
            }
            #expect(pool.load.unknown == 2 && pool.load.known == 0 && pool.load.refused == 1)
            release.signal()
            release.signal()
            try await group.waitForAll()
        }
        let again = try await pool.admitted(lane) { admission in try await admission.run { 7 } }
        #expect(again == 7)
        #expect(pool.load.unknown == 0 && pool.load.queued == 0 && pool.load.refused == 1)
    }
}

extension ComputePoolTests {
    @Test func `work that gets no thread in time is busy, with its cause for the log`() async throws {
        let pool = ComputePool(threads: 1, waiting: 8, patience: .seconds(2))
        let release = DispatchSemaphore(value: 0)
        let (running, announce) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await pool.admitted(lane) { admission in
                    try await admission.run {
                        announce.yield()
                        release.wait()
                    }
                }
            }
            var iterator = running.makeAsyncIterator()
            await iterator.next()
            do {
                try await pool.admitted(lane) { admission in
                    try await admission.run { _ = Issue.record("it got the thread") }
                }
                Issue.record("it was not refused")
            } catch let error as ServiceError {
                #expect(error.code == .serviceBusy && error.retryAfterSeconds == 5)
                #expect(error.cause?.hasPrefix("hashing: no thread within") == true)
                #expect(DatabaseCause.of(error) == error.cause, "the log has no cause")
            }
            release.signal()
            try await group.waitForAll()
        }
        #expect(pool.waited.givenUp == 1 && pool.waited.count == 1)
        #expect(pool.load.unknown == 0)
    }

    @Test func `the places of known devices can be set`() {
        let pool = ComputePool(threads: 1, waiting: 4, known: 7)
        #expect(pool.places.all == 12 && pool.places.unknown == 5)
        let usual = ComputePool(threads: 1, waiting: 4)
        #expect(usual.places.all == 7 && usual.places.unknown == 5)
    }
}

struct TurnQueueTests {
    private let good = UUID(), hostile = UUID()

    private func lane(_ app: UUID, _ tenant: UUID = UUID(), known: Bool = false) -> AdmissionLane {
        AdmissionLane(app: app, tenant: tenant, isKnownDevice: known)
    }

    private func order(_ queue: inout TurnQueue<String>, _ share: ComputeShare = .all) -> [String] {
        var order: [String] = []
        while let next = queue.next(share) { order.append(next) }
        return order
    }

    @Test func `the thread of known devices takes nothing of a stranger`() {
        var queue = TurnQueue<String>()
        for number in 1...2 { queue.add("stranger \(number)", in: lane(hostile)) }
        let tenant = UUID()
        for number in 1...5 { queue.add("known \(number)", in: lane(good, tenant, known: true)) }
        let known = order(&queue, .knownDevices)
        #expect(known == ["known 1", "known 2", "known 3", "known 4", "known 5"])
        #expect(!queue.isEmpty && queue.count == 2)
        let strangers = order(&queue)
        #expect(strangers == ["stranger 1", "stranger 2"])
        #expect(queue.isEmpty && queue.count == 0)
    }

    @Test func `other threads help known devices only if more than three wait`() {
        var queue = TurnQueue<String>()
        for number in 1...3 { queue.add("stranger \(number)", in: lane(hostile)) }
        let tenant = UUID()
        for number in 1...5 { queue.add("known \(number)", in: lane(good, tenant, known: true)) }
        let rest = order(&queue, .rest)
        #expect(rest == ["known 1", "known 2", "stranger 1", "stranger 2", "stranger 3"])
        let left = order(&queue, .knownDevices)
        #expect(left == ["known 3", "known 4", "known 5"])
    }

    @Test func `strangers have every fourth turn of the other threads, however many known devices wait`() {
        var queue = TurnQueue<String>()
        queue.add("stranger", in: lane(hostile))
        let tenant = UUID()
        for number in 1...9 { queue.add("known \(number)", in: lane(good, tenant, known: true)) }
        var taken: [String] = []
        for _ in 1...4 { if let next = queue.next(.rest) { taken.append(next) } }
        #expect(taken == ["known 1", "known 2", "known 3", "stranger"])
    }

    @Test func `a known device overtakes unknown devices that came first`() {
        var queue = TurnQueue<String>()
        for number in 1...36 { queue.add("stranger \(number)", in: lane(hostile)) }
        queue.add("owner", in: lane(good, known: true))
        let order = order(&queue)
        #expect(Array(order.prefix(2)) == ["owner", "stranger 1"] && order.count == 37)
    }

    @Test func `apps take turns, however many tenants one of them names`() {
        var queue = TurnQueue<String>()
        for number in 1...4 { queue.add("invented \(number)", in: lane(hostile)) }
        let tenant = UUID()
        for number in 1...2 { queue.add("new device \(number)", in: lane(good, tenant)) }
        let order = order(&queue)
        #expect(
            order == [
                "invented 1", "new device 1", "invented 2", "new device 2", "invented 3", "invented 4",
            ])
    }

    @Test func `tenants take turns within their app`() {
        var queue = TurnQueue<String>()
        let (first, second) = (UUID(), UUID())
        for number in 1...3 { queue.add("first \(number)", in: lane(good, first)) }
        queue.add("second 1", in: lane(good, second))
        queue.add("other app", in: lane(hostile))
        let order = order(&queue)
        #expect(order == ["first 1", "other app", "second 1", "first 2", "first 3"])
    }

    @Test func `known devices take turns, and every fourth turn goes to an unknown device`() {
        var queue = TurnQueue<String>()
        for number in 1...2 { queue.add("stranger \(number)", in: lane(hostile)) }
        let tenant = UUID()
        for number in 1...5 { queue.add("known \(number)", in: lane(good, tenant, known: true)) }
        queue.add("other known", in: lane(hostile, known: true))
        let order = order(&queue)
        #expect(
            order == [
                "known 1", "other known", "known 2", "stranger 1", "known 3", "known 4", "known 5", "stranger 2",
            ])
    }

    @Test func `calls in one lane keep their order, and an empty queue returns nothing`() {
        var queue = TurnQueue<String>()
        let nothing = queue.next()
        #expect(queue.isEmpty && nothing == nil)
        let same = lane(good)
        for number in 1...3 { queue.add("\(number)", in: same) }
        #expect(!queue.isEmpty)
        let order = order(&queue)
        #expect(order == ["1", "2", "3"])
        #expect(queue.isEmpty)
    }
}
