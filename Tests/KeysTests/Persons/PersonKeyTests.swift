import Canonical
import Testing
@testable import Keys

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct PersonKeyTests {
    private let text = Array("zoë@example.com".utf8)

    private var key: PersonKey { get throws { PersonKey(id: try Sample.person, key: try Sample.wrapping) } }

    @Test func `the sealed form of personal data never changes`() throws {
        let value = try key.seal(
            text, ledger: try Sample.ledger, event: try Sample.event, pointer: "/data/email", nonce: try Sample.nonce)
        let golden =
            #"{"c":"oKGio6SlpqeoqaqrnHe_hgWuet4PFeu2KRmvs87_2FOvlkUbkT1XWhtaK1g","#
            + #""k":"01234567-89ab-4cde-8f01-23456789abcd"}"#
        #expect(String(decoding: value.canonicalBytes(), as: UTF8.self) == golden)
        let opened = try key.open(
            value, ledger: try Sample.ledger, event: try Sample.event, pointer: "/data/email")
        #expect(opened == text)
    }

    @Test func `sealed personal data opens only in its place and for its person`() throws {
        let (key, ledger, event) = (try key, try Sample.ledger, try Sample.event)
        let value = try key.seal(text, ledger: ledger, event: event, pointer: "/data/email")
        func refused(_ key: PersonKey, _ ledger: UUID, _ event: UUID, _ pointer: String) -> Bool {
            do {
                _ = try key.open(value, ledger: ledger, event: event, pointer: pointer)
                return false
            } catch { return error.code == .sealInvalid }
        }
        #expect(!refused(key, ledger, event, "/data/email"))
        #expect(refused(key, event, event, "/data/email"))
        #expect(refused(key, ledger, ledger, "/data/email"))
        #expect(refused(key, event, ledger, "/data/email"))
        for pointer in ["/data/emai", "/data/email/", "/data/Email", "", "/data/companyEmployeeId"] {
            #expect(refused(key, ledger, event, pointer), "\(pointer)")
        }
        #expect(refused(PersonKey(id: key.id, key: try Sample.wrapped), ledger, event, "/data/email"))
        #expect(refused(PersonKey(id: ledger, key: try Sample.wrapping), ledger, event, "/data/email"))
    }

    @Test func `every changed byte is noticed`() throws {
        let (key, ledger, event) = (try key, try Sample.ledger, try Sample.event)
        let sealed = try SealedPersonalData(try key.seal(text, ledger: ledger, event: event, pointer: "/data/email"))
        for index in sealed.sealed.indices {
            var bytes = sealed.sealed
            bytes[index] ^= 0x80
            let changed = SealedPersonalData(key: sealed.key, sealed: bytes)
            #expect(throws: KeysError.self) {
                try key.open(changed, ledger: ledger, event: event, pointer: "/data/email")
            }
        }
    }

    @Test func `an empty text can be sealed`() throws {
        let (key, ledger, event) = (try key, try Sample.ledger, try Sample.event)
        let value = try key.seal([], ledger: ledger, event: event, pointer: "/data/note")
        #expect(try key.open(value, ledger: ledger, event: event, pointer: "/data/note") == [])
    }

    @Test(arguments: [
        #"{"k":"01234567-89ab-4cde-8f01-23456789abcd"}"#, #"{"c":"oKGi"}"#, #""text""#, "1", "[]",
        #"{"c":"oKGi","k":"01234567-89ab-4cde-8f01-23456789abcd"}"#,
        #"{"c":"oKGio6SlpqeoqaqrnHe_hgWuet4PFeu2KRmvs87_2FOvlkUbkT1XWhtaK1g","k":"01234567"}"#,
        #"{"c":"oKGio6SlpqeoqaqrnHe_hgWuet4PFeu2KRmvs87_2FOvlkUbkT1XWhtaK1g=","k":"01234567-89ab-4cde-8f01-23456789abcd"}"#,
        #"{"c":"oKGio6SlpqeoqaqrnHe_hgWuet4PFeu2KRmvs87_2FOvlkUbkT1XWhtaK1g","k":"01234567-89ab-4cde-8f01-23456789abcd","x":1}"#,
    ])
    func `malformed sealed data is refused`(json: String) throws {
        let value = try StrictJSON.parse(Array(json.utf8))
        let error = #expect(throws: KeysError.self) { try SealedPersonalData(value) }
        #expect(error?.code == .sealMalformed)
    }

    @Test func `the sealed form of bytes never changes and is bound to the caller's data`() throws {
        let key = try key
        let sealed = try key.seal(
            bytes: Array("question".utf8), authenticating: Array("aad".utf8), nonce: try Sample.nonce)
        #expect(
            Hex.encode(sealed) == "a0a1a2a3a4a5a6a7a8a9aaab976d195e31a26dd1819990cb87175aad5f4bed147e42a5fd")
        #expect(try key.open(bytes: sealed, authenticating: Array("aad".utf8)) == Array("question".utf8))
        let error = #expect(throws: KeysError.self) { try key.open(bytes: sealed, authenticating: Array("aae".utf8)) }
        #expect(error?.code == .sealInvalid)
        #expect(throws: KeysError.self) {
            try PersonKey(id: key.id, key: try Sample.wrapped).open(bytes: sealed, authenticating: Array("aad".utf8))
        }
    }
}

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

    @Test func `a cached key expires`() {
        let cache = cache([keys[0]])
        #expect(cache.key(reference(keys[0].id), at: start) == keys[0])
        #expect(cache.key(reference(keys[0].id), at: start + .milliseconds(4_999)) == keys[0])
        #expect(cache.key(reference(keys[0].id), at: start + .seconds(5)) == nil)
        #expect(cache.key(KeyCache.Reference(ledger: UUID(), id: keys[0].id), at: start) == nil)
    }

    @Test func `the cache evicts the oldest key, and a read renews a key`() {
        var cache = cache(Array(keys[0...2]))
        cache.insert(keys[0], as: reference(keys[0].id), readAt: start, generation: 0)
        cache.insert(keys[3], as: reference(keys[3].id), readAt: start, generation: 0)
        #expect(cache.count == 3)
        #expect(cache.key(reference(keys[1].id), at: start) == nil)
        for index in [0, 2, 3] { #expect(cache.key(reference(keys[index].id), at: start) == keys[index]) }
    }

    @Test func `forgetting drops a key, and a load that began earlier does not restore it`() {
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

    @Test func `the cache stays bounded under random operations`() {
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

    @Test func `a cache without capacity stores nothing`() {
        #expect(cache([keys[0]], capacity: 0).count == 0)
    }
}
