import Testing

@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct ConnectionLossTests {
    private func kill(_ processID: Int32) async throws {
        try await TestDatabase.withConnection { killer in
            let rows = try await killer.query("SELECT pg_terminate_backend(\(processID))")
            #expect(try rows[0].decode(Bool.self))
        }
    }

    @Test func `a backend killed during a statement is a lost connection`() async throws {
        try await TestDatabase.withConnection { connection in
            let processID = connection.processID
            async let killed: Void = {
                try await TestDatabase.withConnection { observer in
                    while try await observer.query(
                        "SELECT FROM pg_stat_activity WHERE pid = \(processID) AND wait_event = 'PgSleep'"
                    ).isEmpty {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
                try await kill(processID)
            }()
            let error = try await databaseError { try await connection.query("SELECT pg_sleep(600)") }
            try await killed
            #expect(error.code == .connection)
            #expect(error.sqlState == .adminShutdown)
            #expect(error.isConnectionLost)
            #expect(!error.isRetryable)
            let isOpen = connection.isOpen
            #expect(!isOpen)
        }
    }

    @Test func `a backend killed during a transaction is a lost connection`() async throws {
        try await TestDatabase.withConnection { connection in
            let processID = connection.processID
            let error = try await databaseError {
                try await connection.withTransaction { connection in
                    try await connection.execute("SELECT 1")
                    try await kill(processID)
                    try await connection.execute("SELECT 2")
                }
            }
            #expect(error.isConnectionLost)
            #expect(!error.isOutcomeUnknown)
        }
    }

    @Test func `a backend killed before COMMIT leaves the outcome unknown`() async throws {
        try await TestDatabase.withConnection { connection in
            let processID = connection.processID
            let error = try await databaseError {
                try await connection.withTransaction { connection in
                    try await connection.execute("SELECT 1")
                    try await kill(processID)
                }
            }
            #expect(error.isConnectionLost)
            #expect(error.isOutcomeUnknown)
        }
    }

    @Test func `a backend killed before the last statements and COMMIT leaves the outcome unknown`() async throws {
        try await TestDatabase.withConnection { connection in
            let processID = connection.processID
            let error = try await databaseError {
                try await connection.withTransaction { connection in
                    try await connection.execute("SELECT 1")
                    try await kill(processID)
                    _ = try await connection.commit(after: ["SELECT 2"])
                }
            }
            #expect(error.isConnectionLost)
            #expect(error.isOutcomeUnknown)
        }
    }

    @Test func `a backend killed during a pipeline, COPY or LISTEN is a lost connection`() async throws {
        try await TestDatabase.withConnection { connection in
            let processID = connection.processID
            let error = try await databaseError {
                try await connection.pipeline([
                    "SELECT 1", "SELECT pg_terminate_backend(\(processID))", "SELECT pg_sleep(5)",
                ])
            }
            #expect(error.isConnectionLost)
        }
        try await TestDatabase.withConnection { connection in
            let processID = connection.processID
            try await connection.execute("CREATE TEMPORARY TABLE t (word text)")
            let error = try await databaseError {
                try await connection.copyIn("COPY t FROM STDIN") { writer in
                    try await writer.write(Array("a\n".utf8))
                    try await kill(processID)
                    for _ in 0..<100 { try await writer.write([UInt8](repeating: 0x62, count: 65_536)) }
                }
            }
            #expect(error.isConnectionLost)
        }
        try await TestDatabase.withConnection { connection in
            let processID = connection.processID
            try await connection.listen("loss")
            async let killed: Void = {
                try await Task.sleep(for: .milliseconds(50))
                try await kill(processID)
            }()
            let error = try await databaseError { try await connection.nextNotification() }
            try await killed
            #expect(error.isConnectionLost)
            // libpq took the server's last word for a notice.
            #expect(error.sqlState == .adminShutdown)
        }
    }

    @Test func `the pool replaces a killed idle connection`() async throws {
        try await withPostgresPool(
            configuration: try TestDatabase.server(), maximumConnections: 1, logger: .quiet
        ) { pool in
            for _ in 0..<5 {
                let processID = try await pool.withConnection { $0.processID }
                try await kill(processID)
                // `pg_terminate_backend` returns before the backend is gone.
                try await TestDatabase.withConnection { connection in
                    while try await connection.query("SELECT FROM pg_stat_activity WHERE pid = \(processID)").count > 0
                    {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
                let next = try await pool.withConnection { connection in
                    try await connection.execute("SELECT 1")
                    return connection.processID
                }
                #expect(next != processID)
            }
        }
    }
}
