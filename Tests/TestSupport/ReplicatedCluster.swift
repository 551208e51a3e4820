import Foundation
import Postgres

/// A primary and its synchronous standby, for what happens when the primary dies.
///
/// The first server is the primary at the beginning and comes first in the URL, also when it returns as an old primary.
public struct ReplicatedCluster: Sendable {
    /// The primary of the beginning.
    public let first: ThrowawayCluster
    /// The standby of the beginning.
    public let second: ThrowawayCluster

    /// A superuser's URL of whichever server accepts writes, the first one tried first.
    public var url: String {
        "postgresql://postgres@/postgres?host=\(first.directory),\(second.directory)&port=5432"
            + "&target_session_attrs=read-write"
    }

    /// Starts both servers, lends them to `body`, stops them and removes their files.
    public static func with<Result>(_ body: (ReplicatedCluster) async throws -> Result) async throws -> Result {
        let cluster = ReplicatedCluster(first: try .make(), second: try .make())
        do {
            try await cluster.start()
            let result = try await body(cluster)
            await cluster.stop()
            return result
        } catch {
            await cluster.stop()
            throw error
        }
    }

    private func start() async throws {
        try await first.start()
        try await second.makeDirectory()
        try await second.server(
            "pg_basebackup",
            [
                "-h", first.directory, "-U", "postgres", "-D", "\(second.directory)/data", "-X", "stream", "-c", "fast",
                "-R", "--no-sync",
            ])
        try await second.serve()
        // From here on each commit waits for the standby. The setting stays in the files of the first server alone.
        try await Self.ask(first.url) { connection in
            try await connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            try await connection.execute("SELECT pg_reload_conf()")
        }
        try await reach("the standby is not synchronous") {
            try await Self.ask(first.url) { connection in
                try await !connection.query("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'").isEmpty
            }
        }
    }

    private func stop() async {
        await first.stop()
        await second.stop()
    }

    /// Makes the standby a primary; returns when it accepts writes.
    public func promote() async throws {
        try await second.server("pg_ctl", ["-D", "\(second.directory)/data", "-w", "promote"])
    }

    /// Starts the first server again as it was: it accepts writes, and waits for no standby.
    public func returnFirst() async throws { try await first.serve(["synchronous_standby_names="]) }

    /// Starts the second server again after it was killed.
    public func returnSecond() async throws { try await second.serve() }

    /// How many events a database has on one of the servers.
    public func events(in database: TestDatabase, on server: ThrowawayCluster) async throws -> Int64 {
        try await Self.ask(server.url, database) { connection in
            try await connection.query("SELECT count(*) FROM tenure.event").first?.decode(Int64.self) ?? 0
        }
    }

    /// Ends all sessions on a database of one server, so that its clients connect anew.
    public func endSessions(in database: TestDatabase, on server: ThrowawayCluster) async throws {
        try await Self.ask(server.url) { connection in
            _ = try await connection.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = \(database.name)")
        }
    }

    private static func ask<Result>(
        _ url: String, _ database: TestDatabase? = nil,
        _ body: (inout PostgresConnection) async throws -> Result
    ) async throws -> Result {
        let server = try TestServer.configuration(url: url)
        var connection = try await TestServer.connect(database.map { server.with(database: $0.name) } ?? server)
        return try await body(&connection)
    }

    private func reach(_ failure: String, _ isReached: () async throws -> Bool) async throws {
        for _ in 0..<1_200 {
            if try await isReached() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw TestServerError(description: failure)
    }
}
