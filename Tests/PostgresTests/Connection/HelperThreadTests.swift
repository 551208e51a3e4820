import Synchronization
import Testing

@testable import Postgres

@Suite struct HelperThreadTests {
    private final class Count: Sendable { let value = Atomic<Int>(0) }

    /// Threads that end at once: a thread that was detached after its start made the process fail here now and then.
    @Test func `thousands of threads that end at once run their work once each`() async {
        let ran = Count()
        for _ in 0..<200 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        await withCheckedContinuation { continuation in
                            let started = HelperThread.start {
                                ran.value.add(1, ordering: .relaxed)
                                continuation.resume()
                            }
                            if !started { continuation.resume() }
                        }
                    }
                }
            }
        }
        #expect(ran.value.load(ordering: .relaxed) == 10_000)
    }
}
