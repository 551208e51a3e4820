import Testing

@testable import Postgres

struct StatementCacheTests {
    private func key(_ text: String, _ types: [PostgresType] = []) -> StatementCache.Key {
        var sql: SQL = "\(unsafeSQL: text)"
        for type in types { sql = type == .text ? "\(sql)\("value")" : "\(sql)\(Int64(1))" }
        return StatementCache.Key(sql)
    }

    @Test func `the least recently used statement makes room`() {
        var cache = StatementCache(capacity: 2)
        cache.insert(key("a"), name: "1")
        cache.insert(key("b"), name: "2")
        #expect(cache.isFull)
        #expect(cache.name(for: key("a")) == "1")
        #expect(cache.evict() == "2")
        #expect(cache.name(for: key("b")) == nil)
        #expect(cache.name(for: key("a")) == "1")
    }

    @Test func `types and Unicode form tell statements apart`() {
        var cache = StatementCache(capacity: 8)
        cache.insert(key("SELECT 'é'", [.text]), name: "composed")
        #expect(cache.name(for: key("SELECT 'e\u{301}'", [.text])) == nil)
        #expect(cache.name(for: key("SELECT 'é'", [.int8])) == nil)
        #expect(cache.name(for: key("SELECT 'é'", [.text])) == "composed")
    }

    @Test func `names are never used twice`() {
        var cache = StatementCache(capacity: 1)
        let names = (0..<100).map { _ in cache.makeName() }
        #expect(Set(names).count == 100)
    }

    @Test func `no capacity prepares nothing`() {
        #expect(StatementCache(capacity: 0).isFull)
        #expect(StatementCache(capacity: -1).capacity == 0)
    }
}
