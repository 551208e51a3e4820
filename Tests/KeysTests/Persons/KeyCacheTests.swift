import Testing

@testable import Keys

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct KeyCacheTests {
    private let start = ContinuousClock.now
    private let ledger = UUID()

    private func reference(_ id: UUID) -> KeyCache.Reference { KeyCache.Reference(ledger: ledger, id: id) }

    private func cache(_ keys: [PersonKey], capacity: Int = 3) -> KeyCache {
        var cache = KeyCache(capacity: capacity, lifetime: .seconds(5))
        for key in keys { cache.insert(key, as: reference(key.id), readAt: start, generation: 0) }
        return cache
    }

    private let keys = (0..<4).map { _ in PersonKey(id: UUID(), key: SecretKey()) }

    @Test func `a key is there until its time is over`() {
        let cache = cache([keys[0]])
        #expect(cache.key(reference(keys[0].id), at: start) == keys[0])
        #expect(cache.key(reference(keys[0].id), at: start + .milliseconds(4_999)) == keys[0])
        #expect(cache.key(reference(keys[0].id), at: start + .seconds(5)) == nil)
        #expect(cache.key(KeyCache.Reference(ledger: UUID(), id: keys[0].id), at: start) == nil)
    }

    @Test func `the oldest makes room, and a key read again is the newest`() {
        var cache = cache(Array(keys[0...2]))
        cache.insert(keys[0], as: reference(keys[0].id), readAt: start, generation: 0)
        cache.insert(keys[3], as: reference(keys[3].id), readAt: start, generation: 0)
        #expect(cache.count == 3)
        #expect(cache.key(reference(keys[1].id), at: start) == nil)
        for index in [0, 2, 3] { #expect(cache.key(reference(keys[index].id), at: start) == keys[index]) }
    }

    @Test func `forgetting drops a key, and what was read before comes too late`() {
        var cache = cache(Array(keys[0...1]))
        cache.forget(reference(keys[0].id))
        #expect(cache.key(reference(keys[0].id), at: start) == nil)
        #expect(cache.key(reference(keys[1].id), at: start) == keys[1])
        cache.insert(keys[0], as: reference(keys[0].id), readAt: start, generation: 0)
        #expect(cache.key(reference(keys[0].id), at: start) == nil)
        cache.insert(keys[0], as: reference(keys[0].id), readAt: start, generation: cache.generation)
        #expect(cache.key(reference(keys[0].id), at: start) == keys[0])
        cache.forgetAll()
        #expect(cache.count == 0)
    }

    @Test func `it stays bounded whatever happens`() {
        var cache = KeyCache(capacity: 10, lifetime: .seconds(5))
        for step in 0..<20_000 {
            let key = PersonKey(id: step % 3 == 0 ? keys[step % 4].id : UUID(), key: SecretKey())
            let now = start + .milliseconds(step * 7)
            cache.insert(key, as: reference(key.id), readAt: now, generation: cache.generation)
            #expect(cache.key(reference(key.id), at: now) == key)
            if step % 11 == 0 { cache.forget(reference(key.id)) }
            if cache.count > 10 || cache.places > 200 { Issue.record("\(cache.count) keys, \(cache.places) places") }
        }
    }

    @Test func `no capacity keeps nothing`() {
        #expect(cache([keys[0]], capacity: 0).count == 0)
    }
}
