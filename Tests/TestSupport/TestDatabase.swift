public import Canonical
import Foundation
public import Ledger
public import Postgres

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
    private let workerServers: [PostgresConfiguration]

    /// The superuser's configurations of the workers; none if the server is not that of a Citus cluster.
    public var workers: [PostgresConfiguration] { workerServers.map { $0.with(database: name) } }

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
        let nodes = try TestNodes(url: url)
        let template = try await TemplateDatabase.prepare(on: nodes)
        let random = (0..<4).map { _ in String(format: "%04x", UInt16.random(in: 0...UInt16.max)) }.joined()
        let database = TestDatabase(
            name: "tenure_test_\(random)", url: url, server: nodes.first, workerServers: nodes.workers)
        try await nodes.create(database.name, template: template)
        do {
            let result = try await body(database)
            try await nodes.drop(database.name)
            return result
        } catch {
            try? await nodes.drop(database.name)
            throw error
        }
    }
}

extension TestDatabase {
    /// Runs a pool of the application role and an appender over it beside `body`.
    public func withAppender<Result: Sendable>(
        maximumConnections: Int = 4, configuration: Appender.Configuration = Appender.Configuration(),
        codes: (PostgresPool) async throws -> EventCodes = { _ in .test },
        _ body: (Appender, PostgresPool) async throws -> Result
    ) async throws -> Result {
        try await withPool(maximumConnections: maximumConnections) { pool in
            let appender = Appender(
                pool: pool, codes: try await codes(pool), configuration: configuration, logger: TestServer.logger())
            async let running: Void = appender.run()
            let result = try await body(appender, pool)
            appender.stop()
            try await running
            return result
        }
    }
}

extension Append {
    /// An append of events without content to one stream: what most tests need.
    public static func test(
        _ stream: StreamID, expecting version: Int = 0, events: Int = 1, type: String = "CredentialsLocked",
        note: String = "", time: Timestamp = .now()
    ) -> Append {
        Append(
            events: (0..<events).map { number in
                NewEvent(
                    id: UUID(), stream: stream, type: type,
                    data: ["note": .string(note), "number": .integer(Int64(number))])
            }, expectations: [stream: version], time: time)
    }
}

extension StreamID {
    /// A stream of its own in a ledger.
    public static func test(_ ledger: LedgerID = LedgerID(UUID())) -> StreamID {
        StreamID(ledger: ledger, kind: "thing", id: UUID())
    }
}

/// The database that test databases are copied from: made once for each schema, whatever the number of processes.
enum TemplateDatabase {
    /// The advisory lock of the maintenance database under which templates are made: the bytes of "tenure_t".
    private static let lockKey: Int64 = 0x7465_6E75_7265_5F74

    /// The name of a finished template.
    static func prepare(on nodes: TestNodes) async throws -> String {
        let server = nodes.first
        let name = "tenure_template_\(TestServer.schemaChecksum)"
        var connection = try await TestServer.connect(server)
        if try await exists(name, &connection) { return name }
        // Asking again and again holds no snapshot, which CREATE DATABASE of another process would wait for.
        while try await !isLocked(&connection) { try await Task.sleep(for: .milliseconds(50)) }
        if try await exists(name, &connection) { return name }
        // A name is given last, so that a template that has its name is complete; a torso is from a run that was killed.
        let draft = name + "_draft"
        for torso in [name, draft] { try await nodes.drop(torso) }
        try await nodes.createEmpty(draft)
        try await TestServer.migrator(distributed: nodes.isDistributed).migrate(server.with(database: draft))
        try await nodes.distribute(draft)
        try await nodes.seal(draft, as: name)
        return name
    }

    private static func isLocked(_ connection: inout PostgresConnection) async throws -> Bool {
        try await connection.query("SELECT pg_try_advisory_lock(\(lockKey))").first?.decode(Bool.self) ?? false
    }

    private static func exists(_ name: String, _ connection: inout PostgresConnection) async throws -> Bool {
        try await !connection.query("SELECT true FROM pg_database WHERE datname = \(name)").isEmpty
    }
}
