import Synchronization
import Testing

@testable import HTTPAPI

@Suite struct `A call's reply` {
    /// A reply that differs each time it is encoded.
    private func counting() -> @Sendable (Int) -> Reply {
        let calls = Calls()
        return { answer in Reply(body: Array("\(answer)/\(calls.next())".utf8)) }
    }

    @Test func `is encoded once, to be stored and to be sent`() {
        let encoding = ReplyEncoding(counting())
        let stored = Reply(encoding.stored(7))
        #expect(stored.body == Array("7/1".utf8))
        #expect(encoding.reply(7).body == stored.body)
    }

    @Test func `is that of the last attempt`() {
        let encoding = ReplyEncoding(counting())
        _ = encoding.stored(7)
        let stored = Reply(encoding.stored(8))
        #expect(encoding.reply(8).body == stored.body && stored.body == Array("8/2".utf8))
    }

    @Test func `is encoded for a call that stores nothing`() {
        #expect(ReplyEncoding(counting()).reply(7).body == Array("7/1".utf8))
    }
}

/// Counts calls.
private final class Calls: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
