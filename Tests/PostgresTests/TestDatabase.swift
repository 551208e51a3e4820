import Foundation
import Logging
import Testing

@testable import Postgres

/// A database of its own for one test, made from the server that `TENURE_TEST_DATABASE_URL` names.
enum TestDatabase {
    static let url = ProcessInfo.processInfo.environment["TENURE_TEST_DATABASE_URL"]
    static let isConfigured = url != nil
    static let hint: Comment = "set TENURE_TEST_DATABASE_URL to the URL of a superuser"

    static func server() throws -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url: try #require(url))
        configuration.applicationName = "tenure tests"
        // Many tests begin at once, and on a slow machine the last one waits.
        configuration.connectTimeout = .seconds(600)
        return configuration
    }

    /// Lends the configuration of a new database and drops it afterwards, whoever is still connected.
    static func withDatabase<Result>(
        _ body: (PostgresConfiguration) async throws -> Result
    ) async throws -> Result {
        let name = "postgres_tests_\(UInt64.random(in: 0 ... .max))"
        var admin = try await PostgresConnection.connect(try server(), logger: .quiet)
        try await admin.execute("CREATE DATABASE \(identifier: name) TEMPLATE template0")
        do {
            let result = try await body(try server().with(database: name))
            try await admin.execute("DROP DATABASE \(identifier: name) WITH (FORCE)")
            return result
        } catch {
            _ = try? await admin.execute("DROP DATABASE \(identifier: name) WITH (FORCE)")
            throw error
        }
    }

    /// Lends a connection to the server's own database, for tests that create nothing.
    static func withConnection<Result>(
        _ change: (inout PostgresConfiguration) -> Void = { _ in },
        _ body: (inout PostgresConnection) async throws -> Result
    ) async throws -> Result {
        var configuration = try server()
        change(&configuration)
        var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
        return try await body(&connection)
    }
}

extension Logger {
    static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

/// Runs `body` and returns the error of the database it must throw.
func databaseError<Result>(
    _ body: () async throws -> Result, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> PostgresError {
    do {
        _ = try await body()
    } catch let error as PostgresError {
        return error
    }
    Issue.record("no error was thrown", sourceLocation: sourceLocation)
    throw CancellationError()
}
