import Foundation
import Ledger
import Postgres

/// The servers of a test database: one, or the coordinator and the workers of a Citus cluster.
///
/// A database of a cluster is one database of the same name on each node. Copies of a template on all nodes are a
/// database of the cluster too, because what the nodes know of each other lies in tables.
struct TestNodes: Sendable {
    /// The server that tests connect to.
    let first: PostgresConfiguration
    /// The workers of a Citus cluster.
    let workers: [PostgresConfiguration]

    /// The servers of a URL. The workers of `TENURE_TEST_WORKER_URLS` belong to the server of `TENURE_TEST_DATABASE_URL`.
    init(url: String) throws {
        first = try TestServer.configuration(url: url)
        let environment = ProcessInfo.processInfo.environment
        let isShared = url == environment["TENURE_TEST_DATABASE_URL"]
        let names = isShared ? environment["TENURE_TEST_WORKER_URLS"] ?? "" : ""
        workers = try names.split(whereSeparator: \.isWhitespace).map { try TestServer.configuration(url: String($0)) }
    }

    /// Whether ledgers are spread over nodes.
    var isDistributed: Bool { !workers.isEmpty }

    /// Copies a template. The workers come first: the coordinator calls them as soon as somebody connects.
    func create(_ name: String, template: String) async throws {
        for node in workers + [first] {
            try await run("CREATE DATABASE \(identifier: name) TEMPLATE \(identifier: template)", on: node)
        }
    }

    /// Drops a database, with everyone who is connected to it.
    func drop(_ name: String) async throws {
        for node in [first] + workers {
            // A process of the extension, or a connection of another node, may take a moment to end.
            try await retrying { try await run("DROP DATABASE IF EXISTS \(identifier: name) WITH (FORCE)", on: node) }
        }
    }

    /// Makes an empty database, of a cluster if there are workers.
    func createEmpty(_ name: String) async throws {
        for node in workers + [first] {
            try await run("CREATE DATABASE \(identifier: name)", on: node)
            guard isDistributed else { continue }
            try await run("CREATE EXTENSION citus", on: node.with(database: name))
        }
        guard isDistributed else { return }
        var connection = try await TestServer.connect(first.with(database: name))
        let (host, port) = try Self.address(of: first)
        try await connection.execute("SELECT citus_set_coordinator_host(\(host), \(port))")
        for worker in workers {
            let (host, port) = try Self.address(of: worker)
            try await connection.execute("SELECT citus_add_node(\(host), \(port))")
        }
    }

    /// Spreads the ledgers of a migrated database over the workers.
    func distribute(_ name: String) async throws {
        guard isDistributed else { return }
        var connection = try await TestServer.connect(first.with(database: name))
        try await DistributedDatabase.check(on: &connection)
        _ = try await DistributedDatabase.distribute(on: &connection)
    }

    /// Gives a database of a cluster another name. Nobody may connect to it any more; it can be copied.
    func seal(_ draft: String, as name: String) async throws {
        for node in workers + [first] {
            try await run("ALTER DATABASE \(identifier: draft) ALLOW_CONNECTIONS false", on: node)
            // The nodes keep connections to each other, and a process of the extension looks after the database.
            try await retrying {
                var connection = try await TestServer.connect(node)
                try await connection.execute(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = \(draft) AND pid <> pg_backend_pid()
                    """)
                try await connection.executeScript("ALTER DATABASE \(draft) RENAME TO \(name)")
            }
        }
    }

    /// Repeats `body` while somebody else uses the database.
    private func retrying(_ body: () async throws -> Void) async throws {
        for _ in 0..<200 {
            do { return try await body() } catch let error as PostgresError where error.sqlState?.rawValue == "55006" {}
            try await Task.sleep(for: .milliseconds(50))
        }
        try await body()
    }

    private func run(_ sql: SQL, on node: PostgresConfiguration) async throws {
        var connection = try await TestServer.connect(node)
        try await connection.executeScript(sql.description)
    }

    /// Host and port of a server, from the description of its configuration, which shows no password.
    private static func address(of node: PostgresConfiguration) throws -> (host: String, port: Int32) {
        let text = node.description.drop { $0 != "(" }.dropFirst().dropLast()
        var host: String?, port: Int32?
        for part in text.split(separator: " ") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            if pair[0] == "host" { host = String(pair[1]) }
            if pair[0] == "port" { port = Int32(pair[1]) }
        }
        guard let host, let port else { throw TestServerError(description: "a worker's URL needs host and port") }
        return (host, port)
    }
}
