import Postgres

/// The database that test databases are copied from: made once for each schema, whatever the number of processes.
enum TemplateDatabase {
    /// The advisory lock of the maintenance database under which templates are made: the bytes of "tenure_t".
    private static let lockKey: Int64 = 0x7465_6E75_7265_5F74

    /// The name of a finished template.
    static func prepare(on server: PostgresConfiguration) async throws -> String {
        let name = "tenure_template_\(TestServer.schemaChecksum)"
        var connection = try await TestServer.connect(server)
        if try await exists(name, &connection) { return name }
        // Asking again and again holds no snapshot, which CREATE DATABASE of another process would wait for.
        while try await !isLocked(&connection) { try await Task.sleep(for: .milliseconds(50)) }
        if try await exists(name, &connection) { return name }
        // A name is given last, so that a template that has its name is complete; a torso is from a run that was killed.
        let draft = name + "_draft"
        try await connection.executeScript("DROP DATABASE IF EXISTS \(draft) WITH (FORCE)")
        try await connection.executeScript("CREATE DATABASE \(draft)")
        try await TestServer.migrator().migrate(server.with(database: draft))
        try await rename(draft, to: name, &connection)
        return name
    }

    private static func isLocked(_ connection: inout PostgresConnection) async throws -> Bool {
        try await connection.query("SELECT pg_try_advisory_lock(\(lockKey))").first?.decode(Bool.self) ?? false
    }

    private static func exists(_ name: String, _ connection: inout PostgresConnection) async throws -> Bool {
        try await !connection.query("SELECT true FROM pg_database WHERE datname = \(name)").isEmpty
    }

    /// The server needs a moment to notice that the migrator has left.
    private static func rename(
        _ draft: String, to name: String, _ connection: inout PostgresConnection
    ) async throws {
        var left = 100
        while try await !isRenamed(draft, to: name, &connection) {
            left -= 1
            guard left > 0 else { throw TestServerError(description: "the template stays in use") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private static func isRenamed(
        _ draft: String, to name: String, _ connection: inout PostgresConnection
    ) async throws -> Bool {
        do {
            try await connection.executeScript("ALTER DATABASE \(draft) RENAME TO \(name)")
            return true
        } catch {
            guard error.sqlState?.rawValue == "55006" else { throw error }
            return false
        }
    }
}
