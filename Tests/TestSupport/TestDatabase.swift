import Foundation
public import Postgres

/// A database of one test, with the whole schema and no rows.
public struct TestDatabase: Sendable {
    /// Who connects.
    public enum Role: String, Sendable {
        /// The superuser of the server.
        case superuser
        /// The owner of the schema.
        case owner = "tenure_owner"
        /// The role of the service.
        case application = "tenure_app"
        /// The role of projections, verification and replay.
        case reader = "tenure_reader"
    }

    /// The name of the database.
    public let name: String
    /// The URL of its server, for processes that a test starts; the database is not the one this names.
    public let url: String
    private let server: PostgresConfiguration

    /// The configuration of a role.
    public func configuration(as role: Role) -> PostgresConfiguration {
        let configuration = server.with(database: name)
        return role == .superuser ? configuration : configuration.with(user: role.rawValue)
    }

    /// The URL of a role, for a process that reads it from its settings. Of a repeated parameter libpq takes the last.
    ///
    /// - Parameter proxy: The URL of a proxy before the server, where the process shall go through one.
    public func url(as role: Role, through proxy: String? = nil) -> String {
        let user = role == .superuser ? "" : "&user=\(role.rawValue)"
        let url = proxy ?? url
        return url + (url.contains("?") ? "&" : "?") + "dbname=\(name)" + user
    }

    /// Opens a connection of a role.
    public func connect(as role: Role) async throws -> PostgresConnection {
        try await TestServer.connect(configuration(as: role))
    }

    /// Runs a pool of a role beside `body`.
    public func withPool<Result>(
        as role: Role = .application, maximumConnections: Int = 4, _ body: (PostgresPool) async throws -> Result
    ) async throws -> Result {
        try await withPostgresPool(
            configuration: configuration(as: role), maximumConnections: maximumConnections,
            acquireTimeout: .seconds(300), logger: TestServer.logger(), body)
    }

    /// Makes a database, lends it to `body` and drops it.
    public static func with<Result>(_ body: (TestDatabase) async throws -> Result) async throws -> Result {
        try await with(on: try TestServer.requireURL(), body)
    }

    /// The same on a server of the test's own.
    public static func with<Result>(
        on url: String, _ body: (TestDatabase) async throws -> Result
    ) async throws -> Result {
        // Who has a database and wants a second one waits for nobody, or two of those could wait for each other.
        if hasTurn { return try await make(on: url, body) }
        return try await turns.wait { try await $hasTurn.withValue(true) { try await make(on: url, body) } }
    }

    private static let turns = Turns(20)
    @TaskLocal private static var hasTurn = false

    private static func make<Result>(
        on url: String, _ body: (TestDatabase) async throws -> Result
    ) async throws -> Result {
        let server = try TestServer.configuration(url: url)
        let template = try await TemplateDatabase.prepare(on: server)
        let random = (0..<4).map { _ in String(format: "%04x", UInt16.random(in: 0...UInt16.max)) }.joined()
        let database = TestDatabase(name: "tenure_test_\(random)", url: url, server: server)
        try await database.administer("CREATE DATABASE \(identifier: database.name) TEMPLATE \(identifier: template)")
        do {
            let result = try await body(database)
            try await database.administer("DROP DATABASE \(identifier: database.name) WITH (FORCE)")
            return result
        } catch {
            try? await database.administer("DROP DATABASE \(identifier: database.name) WITH (FORCE)")
            throw error
        }
    }

    private func administer(_ sql: SQL) async throws {
        var connection = try await TestServer.connect(server)
        try await connection.executeScript(sql.description)
    }
}
