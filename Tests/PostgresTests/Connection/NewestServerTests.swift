import Testing

@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(2)))
struct NewestServerTests {
    private func configuration(_ newest: NewestServer) throws -> PostgresConfiguration {
        var configuration = try TestDatabase.server()
        configuration.newestServer = newest
        return configuration
    }

    /// As if the next primary of the same cluster had been seen.
    private func promote(_ newest: NewestServer) throws {
        let identity = try #require(newest.identity)
        let next = ServerIdentity(system: identity.system, timeline: identity.timeline + 1)
        #expect(newest.memory.withLock { $0.judge(SeenServer(identity: next)) } == .current)
    }

    @Test func `a session on an older timeline ends at its next use, and no other is opened`() async throws {
        let newest = NewestServer()
        var connection = try await PostgresConnection.connect(try configuration(newest), logger: .quiet)
        try await connection.execute("SELECT 1")
        try promote(newest)
        let used = try await databaseError { try await connection.execute("SELECT 1") }
        #expect(used.code == .serverBehind && used.isConnectionLost)
        let isOpen = connection.isOpen
        #expect(!isOpen)
        let opened = try await databaseError {
            _ = try await PostgresConnection.connect(try configuration(newest), logger: .quiet)
        }
        #expect(opened.code == .serverBehind)
        #expect(opened.description.contains("pg_rewind") && opened.description.contains("pg_basebackup"))
    }

    @Test func `a transaction on an older timeline is not committed`() async throws {
        let newest = NewestServer()
        var connection = try await PostgresConnection.connect(try configuration(newest), logger: .quiet)
        let error = try await databaseError {
            try await connection.withTransaction { connection in
                try await connection.execute("CREATE TABLE of_older_timeline ()")
                try promote(newest)
            }
        }
        #expect(error.code == .serverBehind)
        try await TestDatabase.withConnection { other in
            let rows = try await other.query("SELECT to_regclass('of_older_timeline') IS NULL")
            #expect(try rows[0].decode(Bool.self))
        }
    }

    @Test func `a pool does not lend a resting session on an older timeline`() async throws {
        let newest = NewestServer()
        try await withPostgresPool(
            configuration: try configuration(newest), maximumConnections: 1, acquireTimeout: .seconds(5),
            logger: .quiet
        ) { pool in
            try await pool.withConnection { connection in _ = try await connection.execute("SELECT 1") }
            #expect(pool.health.idle == 1)
            try promote(newest)
            let error = try await databaseError { try await pool.withConnection { $0.processID } }
            #expect(error.code == .serverBehind)
        }
    }

    @Test func `a server that lacks progress is refused with what to do`() async throws {
        let newest = NewestServer(progress: .init(["SELECT 5::bigint"], remedy: "Do this."), requiring: 6)
        let error = try await databaseError {
            _ = try await PostgresConnection.connect(try configuration(newest), logger: .quiet)
        }
        #expect(error.code == .serverBehind && error.description.hasSuffix("recorded 5 of at least 6. Do this."))
        let satisfied = NewestServer(progress: .init(["SELECT 5::bigint"], remedy: ""), requiring: 5)
        var connection = try await PostgresConnection.connect(try configuration(satisfied), logger: .quiet)
        try await connection.execute("SELECT 1")
        #expect(satisfied.identity != nil)
    }

    @Test func `progress that cannot be read yet is no reason to refuse`() async throws {
        let newest = NewestServer(progress: .init(["SELECT size FROM no_such.table"], remedy: ""), requiring: 6)
        var connection = try await PostgresConnection.connect(try configuration(newest), logger: .quiet)
        try await connection.execute("SELECT 1")
    }

    @Test func `a silent host leaves the others their time, and is passed over when all are looked at`() async throws {
        let listener = try FirstMessageTests.Listener(), newest = NewestServer()
        var configuration = try configuration(newest)
        let host = try #require(configuration.parameters["host"])
        configuration = configuration.setting("host", "\(listener.directory),\(host)").setting("connect_timeout", "3")
        configuration.connectTimeout = .seconds(60)
        let start = ContinuousClock.now
        var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
        #expect(ContinuousClock.now - start >= .seconds(1))
        try await connection.execute("SELECT 1")
        let fresh = NewestServer()
        await fresh.probe([configuration], logger: .quiet)
        #expect(fresh.identity == newest.identity && fresh.identity != nil)
    }
}
