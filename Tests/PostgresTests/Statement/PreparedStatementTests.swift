import Testing
@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct PreparedStatementTests {
    private func preparedCount(_ connection: inout PostgresConnection) async throws -> Int {
        // Over the simple protocol's absence of a cache entry: its own statement counts as one.
        try await connection.query("SELECT count(*) FROM pg_prepared_statements")[0].decode(Int.self)
    }

    @Test func `a statement is prepared once, within the size of the cache`() async throws {
        try await TestDatabase.withConnection {
            $0.statementCacheCapacity = 5
        } _: { connection in
            for _ in 0..<3 {
                for number in 0..<20 {
                    let rows = try await connection.query("SELECT \(number) AS \(identifier: "c\(number)")")
                    #expect(try rows[0].decode(Int.self) == number)
                }
            }
            #expect(try await preparedCount(&connection) == 5)
            #expect(connection.session.cache.count == 5)
        }
    }

    @Test func `a statement that the server lost is prepared again`() async throws {
        try await TestDatabase.withConnection { connection in
            _ = try await connection.query("SELECT \(1)")
            try await connection.executeScript("DISCARD ALL")
            #expect(try await connection.query("SELECT \(2)")[0].decode(Int.self) == 2)
        }
    }

    @Test func `a statement whose table changed is prepared again`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE t (a int8)")
            try await connection.execute("INSERT INTO t VALUES (1)")
            #expect(try await connection.query("SELECT * FROM t")[0].columnCount == 1)
            try await connection.execute("ALTER TABLE t ADD b text DEFAULT 'x'")
            #expect(try await connection.query("SELECT * FROM t")[0].decode(Int.self, String.self) == (1, "x"))
        }
    }

    @Test func `a stale statement fails once inside a transaction, which may be retried`() async throws {
        try await withPostgresPool(configuration: try TestDatabase.server(), maximumConnections: 1, logger: .quiet) {
            pool in
            try await pool.withConnection { connection in
                try await connection.execute("CREATE TEMPORARY TABLE t (a int8)")
                try await connection.execute("INSERT INTO t VALUES (1)")
                _ = try await connection.query("SELECT * FROM t")
                try await connection.execute("ALTER TABLE t ADD b text DEFAULT 'x'")
            }
            var attempts = 0
            let row = try await pool.withTransaction { connection in
                attempts += 1
                return try await connection.query("SELECT * FROM t")[0]
            }
            #expect(attempts == 2)
            #expect(row.columnCount == 2)
            try await pool.withConnection { connection in
                try await connection.execute("ALTER TABLE t ADD c text DEFAULT 'y'")
                let error = try await databaseError { try await connection.pipeline(["SELECT 1", "SELECT * FROM t"]) }
                #expect(error.isRetryable)
                #expect(try await connection.pipeline(["SELECT 1", "SELECT * FROM t"])[1][0].columnCount == 3)
            }
        }
    }

    @Test func `the same text with other parameter types is another statement`() async throws {
        try await TestDatabase.withConnection { connection in
            let number = try await connection.query("SELECT \(1)")
            let word = try await connection.query("SELECT \("one")")
            let truth = try await connection.query("SELECT \(true)")
            #expect(try number[0].decode(Int.self) == 1)
            #expect(try word[0].decode(String.self) == "one")
            #expect(try truth[0].decode(Bool.self))
        }
    }

    @Test func `statements that cannot run in a transaction run outside one`() async throws {
        try await TestDatabase.withConnection { connection in
            try await connection.execute("CREATE TABLE IF NOT EXISTS pg_temp.t (i int8)")
            try await connection.execute("VACUUM pg_temp.t")
        }
    }
}

struct StatementCacheTests {
    private func key(_ text: String, _ types: [PostgresType] = []) -> StatementCache.Key {
        var sql: SQL = "\(unsafeSQL: text)"
        for type in types { sql = type == .text ? "\(sql)\("value")" : "\(sql)\(Int64(1))" }
        return StatementCache.Key(sql)
    }

    @Test func `the least recently used statement is evicted`() {
        var cache = StatementCache(capacity: 2)
        cache.insert(key("a"), name: "1")
        cache.insert(key("b"), name: "2")
        #expect(cache.isFull)
        #expect(cache.name(for: key("a")) == "1")
        #expect(cache.evict() == "2")
        #expect(cache.name(for: key("b")) == nil)
        #expect(cache.name(for: key("a")) == "1")
    }

    @Test func `statements differ by parameter types and Unicode form`() {
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

    @Test func `a cache without capacity prepares no statement`() {
        #expect(StatementCache(capacity: 0).isFull)
        #expect(StatementCache(capacity: -1).capacity == 0)
    }
}
