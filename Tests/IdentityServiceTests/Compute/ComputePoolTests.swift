import Foundation
import Testing

@testable import IdentityService

struct ComputePoolTests {
    @Test func `work runs off the cooperative pool and gives its result back`() async throws {
        // Again and again, because a thread that named itself too early would keep another's name only now and then.
        for _ in 0..<100 {
            let pool = ComputePool(threads: 2, waiting: 2)
            let name = try await pool.admitted { admission in
                try await admission.run { Thread.current.name ?? "" }
            }
            #expect(name.hasPrefix("tenure-compute"))
        }
    }

    @Test func `an error of the work reaches the caller`() async throws {
        let pool = ComputePool(threads: 1, waiting: 1)
        await #expect(throws: ServiceError(.answersIncorrect)) {
            try await pool.admitted { admission in
                try await admission.run { throw ServiceError(.answersIncorrect) }
            }
        }
    }

    @Test func `who is one too many is refused before anything runs, and admitted again later`() async throws {
        let pool = ComputePool(threads: 1, waiting: 1)
        let release = DispatchSemaphore(value: 0)
        let (entered, announce) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await pool.admitted { admission in
                        announce.yield()
                        try await admission.run { release.wait() }
                    }
                }
            }
            var iterator = entered.makeAsyncIterator()
            await iterator.next()
            await iterator.next()
            do {
                try await pool.admitted { _ in _ = Issue.record("a third caller was admitted") }
            } catch let error as ServiceError {
                #expect(error.code == .serviceBusy)
                #expect(error.retryAfterSeconds == 1)
            }
            release.signal()
            release.signal()
            try await group.waitForAll()
        }
        let again = try await pool.admitted { admission in try await admission.run { 7 } }
        #expect(again == 7)
    }
}
