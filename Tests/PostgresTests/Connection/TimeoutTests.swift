import Testing

@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct TimeoutTests {
    @Test func `a statement that takes too long is stopped by the server`() async throws {
        try await TestDatabase.withConnection {
            $0.statementTimeout = .milliseconds(100)
        } _: { connection in
            let error = try await databaseError { try await connection.query("SELECT pg_sleep(30)") }
            #expect(error.code == .timeout)
            #expect(error.sqlState == .queryCanceled)
            #expect(!error.isConnectionLost)
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func `a lock that is not free in time`() async throws {
        try await TestDatabase.withConnection { holder in
            try await holder.execute("SELECT pg_advisory_lock(771)")
            try await TestDatabase.withConnection {
                $0.lockTimeout = .milliseconds(100)
            } _: { connection in
                let error = try await databaseError { try await connection.query("SELECT pg_advisory_lock(771)") }
                #expect(error.code == .timeout)
                #expect(error.sqlState == .lockNotAvailable)
                #expect(try await connection.query("SELECT 1").count == 1)
            }
        }
    }

    @Test func `a transaction that idles too long loses its session`() async throws {
        try await TestDatabase.withConnection {
            $0.idleInTransactionTimeout = .milliseconds(100)
        } _: { connection in
            let error = try await databaseError {
                try await connection.withTransaction { connection in
                    try await connection.execute("SELECT 1")
                    try await Task.sleep(for: .milliseconds(400))
                    try await connection.execute("SELECT 2")
                }
            }
            #expect(error.code == .connection)
            #expect(error.sqlState == .idleInTransactionTimeout, "\(String(reflecting: error))")
            #expect(error.isConnectionLost)
        }
    }

    @Test func `connecting to a port that never answers ends in time`() async throws {
        // RFC 5737: 192.0.2.0/24 is nobody's.
        var configuration = try PostgresConfiguration(url: "host=192.0.2.1 port=9 user=x sslmode=disable")
        configuration.connectTimeout = .milliseconds(300)
        let started = ContinuousClock.now
        let error = try await databaseError { _ = try await PostgresConnection.connect(configuration, logger: .quiet) }
        #expect(error.code == .timeout || error.code == .connection)
        #expect(ContinuousClock.now - started < .seconds(50))
    }

    @Test func `a socket nobody listens on is an error at once, without its name`() async throws {
        let configuration = try PostgresConfiguration(url: "postgresql://u:secret@/x?host=/nonexistent/dir")
        let error = try await databaseError { _ = try await PostgresConnection.connect(configuration, logger: .quiet) }
        #expect(error.code == .connection)
        #expect(error.isConnectionLost)
        #expect(!error.description.contains("nonexistent"))
        #expect(!String(reflecting: error).contains("secret"))
    }

    @Test func `the settings of the configuration are the session's`() async throws {
        try await TestDatabase.withConnection {
            $0.statementTimeout = .seconds(7)
            $0.lockTimeout = nil
            $0.applicationName = "it's a \\ name"
            $0.sessionSettings = ["search_path": "pg_catalog, public", "tenure.note": #"a b\c 'd' "e""#]
        } _: { connection in
            let names = [
                "statement_timeout", "lock_timeout", "application_name", "search_path", "tenure.note", "TimeZone",
            ]
            let rows = try await connection.query("SELECT current_setting(n) FROM unnest(\(names)) AS n")
            #expect(
                try rows.map { try $0.decode(String.self) } == [
                    "7s", "0", "it's a \\ name", "pg_catalog, public", #"a b\c 'd' "e""#, "UTC",
                ])
        }
    }
}
