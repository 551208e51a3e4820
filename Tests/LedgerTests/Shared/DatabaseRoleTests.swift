import Foundation
import Postgres
import Schema
import Testing
import TestSupport
@testable import Ledger

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct DatabaseRoleTests {
    /// What the check of a role says when it connects.
    private func refusal(_ kind: DatabaseRole, of role: String, _ database: TestDatabase) async throws -> UnsafeRole? {
        let configuration = database.configuration(as: .superuser).with(user: role)
        return try await withPostgresPool(
            configuration: configuration, maximumConnections: 1, logger: TestServer.logger()
        ) { pool in
            do { try await kind.check(pool) } catch let error as UnsafeRole { return error }
            return nil
        }
    }

    @Test func `the roles of the schema pass, each for its own purpose`() async throws {
        try await TestDatabase.with { database in
            #expect(try await refusal(.application, of: "tenure_app", database) == nil)
            #expect(try await refusal(.reader, of: "tenure_reader", database) == nil)
            let reader = try await refusal(.application, of: "tenure_reader", database)
            #expect(reader == UnsafeRole(role: "tenure_reader", member: nil, what: "sees all companies"))
        }
    }

    @Test(arguments: [
        ("SUPERUSER", "is a superuser"), ("BYPASSRLS", "bypasses row-level security"),
        ("CREATEROLE", "can make itself a member of other roles"),
    ])
    func `a role that bypasses row-level security, or can become such a role, is refused`(
        attribute: String, what: String
    ) async throws {
        try await TestDatabase.with { database in
            let suffix = UUID().uuidString.prefix(8).lowercased()
            let (strong, weak) = ("tenure_strong_\(suffix)", "tenure_weak_\(suffix)")
            var superuser = try await database.connect(as: .superuser)
            try await superuser.executeScript(
                """
                CREATE ROLE \(strong) LOGIN \(attribute) IN ROLE tenure_app;
                CREATE ROLE \(weak) LOGIN NOINHERIT IN ROLE tenure_app, \(strong)
                """)
            for kind in [DatabaseRole.application, .reader] {
                let own = try await refusal(kind, of: strong, database)
                #expect(own == UnsafeRole(role: strong, member: nil, what: what))
                let other = try await refusal(kind, of: weak, database)
                #expect(other == UnsafeRole(role: weak, member: strong, what: what))
            }
            try await superuser.executeScript("DROP ROLE \(weak), \(strong)")
        }
    }

    @Test func `the schema's owner, its members and members of the reader are refused`()
        async throws
    {
        try await TestDatabase.with { database in
            let owner = try await refusal(.application, of: "tenure_owner", database)
            #expect(owner?.what == "owns the schema")
            #expect(try await refusal(.reader, of: "tenure_owner", database) != nil)
            let name = "tenure_member_\(UUID().uuidString.prefix(8).lowercased())"
            var superuser = try await database.connect(as: .superuser)
            try await superuser.executeScript("CREATE ROLE \(name) LOGIN IN ROLE tenure_app, tenure_reader")
            let both = try await refusal(.application, of: name, database)
            #expect(both == UnsafeRole(role: name, member: "tenure_reader", what: "sees all companies"))
            #expect(try await refusal(.reader, of: name, database) == nil)
            try await superuser.executeScript("GRANT tenure_owner TO \(name)")
            #expect(try await refusal(.reader, of: name, database)?.member == "tenure_owner")
            try await superuser.executeScript("DROP ROLE \(name)")
        }
    }

    @Test func `a superuser session is refused even under a restricted role`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(as: .superuser, maximumConnections: 1) { pool in
                try await pool.withConnection { connection in
                    _ = try await connection.query("SET ROLE tenure_app")
                }
                await #expect(throws: UnsafeRole.self) { try await DatabaseRole.application.check(pool) }
            }
        }
    }
}

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

    /// The roles that own something in the schema of the database.
    private func owners(_ url: String) async throws -> [String] {
        var connection = try await PostgresConnection.connect(
            try TestServer.configuration(url: url).with(database: "service"), logger: TestServer.logger())
        let rows = try await connection.query(
            """
            SELECT DISTINCT pg_get_userbyid(owner)::text FROM (
                SELECT proowner, pronamespace FROM pg_proc UNION ALL SELECT relowner, relnamespace FROM pg_class
            ) AS object (owner, namespace) WHERE namespace = 'tenure'::regnamespace ORDER BY 1
            """)
        return try rows.map { try $0.decode(String.self) }
    }

    @Test(arguments: ["postgres", "creator", "plain", "tenure_owner"])
    func `everything belongs to the owner, whoever migrates`(role: String) async throws {
        try await ThrowawayCluster.with { cluster in
            try await administer(cluster.url, "CREATE ROLE creator LOGIN CREATEROLE")
            if role == "plain" || role == "tenure_owner" {
                try await administer(
                    cluster.url, "CREATE ROLE tenure_owner LOGIN", "CREATE ROLE tenure_app LOGIN",
                    "CREATE ROLE tenure_reader LOGIN", "CREATE ROLE plain LOGIN IN ROLE tenure_owner")
            }
            try await administer(cluster.url, "CREATE DATABASE service OWNER \(role)")
            try await migrate(cluster.url, as: role)
            #expect(try await owners(cluster.url) == ["tenure_owner"])
        }
    }

    @Test(arguments: ["postgres", "plain"])
    func `functions of an older version are given to the owner, before and after their text changes`(
        role: String
    ) async throws {
        try await ThrowawayCluster.with { cluster in
            try await administer(
                cluster.url, "CREATE ROLE tenure_owner LOGIN", "CREATE ROLE tenure_app LOGIN",
                "CREATE ROLE tenure_reader LOGIN", "CREATE ROLE plain LOGIN IN ROLE tenure_owner",
                "CREATE DATABASE service OWNER \(role)")
            let current = TestServer.migrator()
            let configuration = try TestServer.configuration(url: cluster.url).with(database: "service")
                .with(user: role)
            let older = Migrator(
                migrations: Schema.migrations.map { Migration(name: $0.name, sql: $0.bytes) },
                functions: Schema.functions.map { ReplaceableScript(name: $0.name, sql: $0.bytes) },
                logger: TestServer.logger())
            try await older.migrate(configuration)
            #expect(try await owners(cluster.url) == [role, "tenure_owner"].sorted())
            var connection = try await PostgresConnection.connect(configuration, logger: TestServer.logger())
            try await connection.execute(
                "UPDATE public.tenure_function SET checksum = sha256('') WHERE name = 'append'")
            let report = try await current.migrate(configuration)
            #expect(report.functions == ["append"] && report.migrations.isEmpty)
            #expect(report.changedOwners.contains("tenure.require(boolean)"))
            #expect(report.changedOwners.count >= Schema.functions.count)
            #expect(try await owners(cluster.url) == ["tenure_owner"])
            let again = try await current.migrate(configuration)
            #expect(again.isEmpty)
        }
    }

    @Test func `functions that the migrating role may not give away stay and keep working`() async throws {
        try await ThrowawayCluster.with { cluster in
            try await administer(
                cluster.url, "CREATE ROLE tenure_owner LOGIN", "CREATE ROLE tenure_app LOGIN",
                "CREATE ROLE tenure_reader LOGIN", "CREATE DATABASE service OWNER tenure_owner")
            try await migrate(cluster.url, as: "tenure_owner")
            var connection = try await PostgresConnection.connect(
                try TestServer.configuration(url: cluster.url).with(database: "service"), logger: TestServer.logger())
            try await connection.execute("ALTER FUNCTION tenure.require OWNER TO postgres")
            try await migrate(cluster.url, as: "tenure_owner")
            #expect(try await owners(cluster.url) == ["postgres", "tenure_owner"])
            try await migrate(cluster.url, as: "postgres")
            #expect(try await owners(cluster.url) == ["tenure_owner"])
        }
    }

    @Test func `roles are created by a permitted role, and a clear error names the permission`() async throws {
        try await ThrowawayCluster.with { cluster in
            try await administer(
                cluster.url, "CREATE ROLE plain LOGIN", "CREATE ROLE creator LOGIN CREATEROLE",
                "CREATE DATABASE service OWNER plain")
            let missing = await refusal(cluster.url, as: "plain")
            #expect(missing.contains("notPermitted"))
            #expect(missing.contains("role plain may not create the role tenure_owner"))
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
