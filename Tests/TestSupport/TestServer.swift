import Crypto
import Foundation
public import Logging
public import Postgres
import Schema

/// The PostgreSQL server that integration tests use, named by `TENURE_TEST_DATABASE_URL`: a superuser's URL.
public enum TestServer {
    /// Why integration tests do not run, for `.enabled(if:_:)`.
    public static let hint = "TENURE_TEST_DATABASE_URL names no server"

    /// Whether a server is named.
    public static var isAvailable: Bool { url != nil }

    private static var url: String? { ProcessInfo.processInfo.environment["TENURE_TEST_DATABASE_URL"] }

    /// The superuser's URL; throws when no server is named.
    public static func requireURL() throws -> String {
        guard let url else { throw TestServerError(description: hint) }
        return url
    }

    /// The superuser's configuration; throws when the server is not on this machine.
    public static func configuration(url: String) throws -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url: url)
        // A hundred tests that begin at once copy a hundred databases; on a slow machine the last one waits.
        configuration.connectTimeout = .seconds(600)
        // One that computes meanwhile may keep another from its transaction, or from a lock, for as long.
        configuration.lockTimeout = .seconds(60)
        configuration.idleInTransactionTimeout = .seconds(600)
        guard isLocal(configuration) else {
            throw TestServerError(description: "tests create and drop databases, and only on this machine")
        }
        return configuration
    }

    /// Opens a connection for what surrounds a test; a refusal says in the server's words why.
    static func connect(_ configuration: PostgresConfiguration) async throws -> PostgresConnection {
        do {
            return try await PostgresConnection.connect(configuration, logger: logger())
        } catch {
            throw TestServerError(description: error.debugDescription)
        }
    }

    /// Whether the server is reached by a Unix socket or over loopback.
    public static func isLocal(_ configuration: PostgresConfiguration) -> Bool {
        let text = configuration.description.drop { $0 != "(" }.dropFirst().dropLast()
        var hosts = text.split(separator: " ").compactMap { part -> Substring? in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return pair.count == 2 && (pair[0] == "host" || pair[0] == "hostaddr") ? pair[1] : nil
        }
        if hosts.isEmpty, let host = ProcessInfo.processInfo.environment["PGHOST"] { hosts = [host[...]] }
        return hosts.allSatisfy { list in
            list.split(separator: ",").allSatisfy {
                $0.hasPrefix("/") || ["localhost", "127.0.0.1", "::1"].contains(String($0))
            }
        }
    }

    /// A logger that tells warnings only.
    public static func logger() -> Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    /// Whether the tests' server is the coordinator of a Citus cluster.
    public static var isDistributed: Bool { url.flatMap { try? TestNodes(url: $0).isDistributed } ?? false }

    /// The migrator of the compiled schema.
    public static func migrator(distributed: Bool = false) -> Migrator {
        Migrator(
            migrations: Schema.migrations.map { Migration(name: $0.name, sql: $0.bytes) },
            functions: Schema.functions(distributed: distributed)
                .map { ReplaceableScript(name: $0.name, sql: $0.bytes) },
            revision: Schema.functionsRevision, routineOwner: RoutineOwner(role: "tenure_owner", schema: "tenure"),
            logger: logger())
    }

    /// Sixteen hexadecimal digits of the hash over all scripts: another schema has another template.
    static var schemaChecksum: String {
        var hash = SHA256()
        for script in Schema.migrations + Schema.functions + Schema.distributedFunctions {
            hash.update(data: Array(script.name.utf8) + [0])
            hash.update(data: SHA256.hash(data: script.bytes).map { $0 })
        }
        return hash.finalize().prefix(8).map { String(format: "%02x", $0) }.joined()
    }
}

/// Why a test cannot use a database.
public struct TestServerError: Error, CustomStringConvertible {
    /// The reason.
    public let description: String

    /// Makes an error.
    public init(description: String) { self.description = description }
}
