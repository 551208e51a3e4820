import Ledger
import Postgres
import TestSupport
import Testing

/// Who may migrate: a superuser (as all other tests do), or a role that may create roles and owns the database.
@Suite(.enabled(if: ThrowawayCluster.isAvailable, "\(ThrowawayCluster.hint)"))
struct MigratingRoleTests {
    private func migrate(_ url: String, as role: String) async throws {
        var configuration = try TestServer.configuration(url: url).with(database: "service")
        if role != "postgres" { configuration = configuration.with(user: role) }
        try await TestServer.migrator().migrate(configuration)
    }

    private func administer(_ url: String, _ statements: String...) async throws {
        var connection = try await PostgresConnection.connect(
            try TestServer.configuration(url: url), logger: TestServer.logger())
        for statement in statements { try await connection.executeScript(statement) }
    }

    private func refusal(_ url: String, as role: String) async -> String {
        do {
            try await migrate(url, as: role)
            return "none"
        } catch { return String(reflecting: error) }
    }

    @Test func `roles are made by whoever may, and a clear error says who may`() async throws {
        try await ThrowawayCluster.with { cluster in
            try await administer(
                cluster.url, "CREATE ROLE plain LOGIN", "CREATE ROLE creator LOGIN CREATEROLE",
                "CREATE DATABASE service OWNER plain")
            let missing = await refusal(cluster.url, as: "plain")
            #expect(missing.contains("role tenure_owner is missing and role plain may not create it"))
            #expect(missing.contains("42501") && missing.contains("m001_roles"))
            try await administer(cluster.url, "DROP DATABASE service", "CREATE DATABASE service OWNER creator")
            try await migrate(cluster.url, as: "creator")
            // The schema is complete: an append by the application role works, and the creator may migrate again.
            let remote = try TestServer.configuration(url: cluster.url).with(database: "service")
                .with(user: "tenure_app")
            try await withPostgresPool(configuration: remote, logger: TestServer.logger()) { pool in
                let append = Append.test(.test())
                let results = try await pool.withTransaction(in: append.ledgers) { connection in
                    try await Appender.append([append], on: &connection)
                }
                #expect(try results[0].get().last == [append.events[0].stream.ledger: 1])
            }
            try await migrate(cluster.url, as: "creator")
            try await administer(
                cluster.url, "DROP DATABASE service WITH (FORCE)", "CREATE DATABASE service OWNER plain")
            let stranger = await refusal(cluster.url, as: "plain")
            #expect(stranger.contains("role plain is not a member of tenure_owner"))
            try await administer(cluster.url, "ALTER ROLE tenure_app BYPASSRLS")
            let powerful = await refusal(cluster.url, as: "postgres")
            #expect(powerful.contains("role tenure_app bypasses row-level security"))
            try await administer(
                cluster.url, "ALTER ROLE tenure_app NOBYPASSRLS", "GRANT tenure_owner TO plain")
            try await migrate(cluster.url, as: "plain")
        }
    }
}
