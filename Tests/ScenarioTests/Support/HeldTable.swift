import Postgres
import TestSupport

extension TenureWorld {
    /// Runs `body` while nobody but `body`'s own connections of the test can write to a table: who tries waits.
    func holding<Result>(_ table: String, _ body: () async throws -> Result) async throws -> Result {
        var connection = try await database.connect(as: .superuser)
        try await connection.executeScript("BEGIN; LOCK TABLE \(table) IN EXCLUSIVE MODE")
        do {
            let result = try await body()
            try await connection.executeScript("ROLLBACK")
            return result
        } catch {
            try? await connection.executeScript("ROLLBACK")
            throw error
        }
    }

    /// Comes back when so many writers wait for a table that ``holding(_:_:)`` holds.
    func writersWait(for table: String, count: Int64 = 1) async throws {
        try await until {
            try await number(
                """
                SELECT count(*) FROM pg_locks WHERE relation = \(table)::regclass AND NOT granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """) >= count
        }
    }

    /// Ends the sessions that wait for a table, with everything that their transactions wrote.
    func endWriters(waitingFor table: String) async throws {
        _ = try await superuser { connection in
            try await connection.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = \(table)::regclass AND NOT granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """)
        }
        try await until {
            try await number(
                """
                SELECT count(*) FROM pg_locks WHERE relation = \(table)::regclass AND NOT granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """) == 0
        }
    }

    /// One number that the database tells its superuser.
    func number(_ sql: SQL) async throws -> Int64 {
        try await superuser { connection in
            let rows = try await connection.query(sql)
            return try rows.first?.decode(Int64.self) ?? -1
        }
    }

    /// Asks until it is so; a minute without is a failure.
    func until(_ condition: () async throws -> Bool) async throws {
        for _ in 0..<3_000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Flow.Unexpected(description: "what was waited for did not come")
    }
}

extension TenureWorld {
    /// Runs `work`, which writes to both tables, and `then` when `work` waits for the second one, which nobody may write
    /// to from the moment on that it waited for the first one.
    func holdingInTurn(
        _ first: String, _ second: String, then: (TenureWorld) async throws -> Void,
        meanwhile work: @escaping @Sendable () async throws -> Void
    ) async throws {
        var connection = try await database.connect(as: .superuser)
        try await connection.executeScript("BEGIN; LOCK TABLE \(first) IN EXCLUSIVE MODE")
        let working = Task { try await work() }
        do {
            try await writersWait(for: first)
            try await holding(second) {
                try await connection.executeScript("ROLLBACK")
                try await writersWait(for: second)
                try await then(self)
            }
        } catch {
            working.cancel()
            throw error
        }
        try await working.value
    }
}
