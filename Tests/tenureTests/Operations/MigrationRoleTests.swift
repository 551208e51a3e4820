import ArgumentParser
import Foundation
import Postgres
import TestSupport
import Testing

@testable import tenure

/// Who may migrate a database, whichever role owns it.
@Suite(.enabled(if: TestServer.isAvailable && !TestServer.isDistributed, "\(TestServer.hint)"))
struct MigrationRoleTests {
    /// An empty database of an owner, with a role of this test.
    private struct Place {
        let server: PostgresConfiguration
        let name: String
        let administrator: String

        func migrate(as user: String?) async throws -> CommandFailure? {
            let database = server.with(database: name)
            do {
                _ = try await DatabaseMigration.run(
                    user.map { database.with(user: $0) } ?? database, logger: TestServer.logger())
                return nil
            } catch {
                return CommandFailure(describing: error)
            }
        }

        func superuser(_ script: String) async throws {
            var connection = try await PostgresConnection.connect(
                server.with(database: name), logger: TestServer.logger())
            try await connection.executeScript(script)
            connection.close()
        }

        /// Makes a function one of an older version, so that the next migration has something to do.
        func age() async throws {
            try await superuser("UPDATE public.tenure_function SET checksum = sha256('old') WHERE name = 'require'")
        }

        func hasSchema() async throws -> Bool {
            var connection = try await PostgresConnection.connect(
                server.with(database: name), logger: TestServer.logger())
            let rows = try await connection.query(
                "SELECT to_regclass('public.tenure_migration') IS NOT NULL OR to_regnamespace('tenure') IS NOT NULL")
            connection.close()
            return try rows.first?.decode(Bool.self) ?? false
        }
    }

    private func withPlace(
        owner: (_ administrator: String) -> String?, _ body: (Place) async throws -> Void
    ) async throws {
        // The roles of the schema belong to the server, and the template has made them.
        try await TestDatabase.with { database in
            let server = try TestServer.configuration(url: try TestServer.requireURL())
            let number = UInt64.random(in: 0...UInt64.max)
            let place = Place(server: server, name: "roles_\(number)", administrator: "admin_\(number)")
            var connection = try await PostgresConnection.connect(server, logger: TestServer.logger())
            try await connection.execute("CREATE ROLE \(identifier: place.administrator) LOGIN")
            try await connection.execute("CREATE DATABASE \(identifier: place.name) TEMPLATE template0")
            if let owner = owner(place.administrator) {
                try await connection.execute(
                    "ALTER DATABASE \(identifier: place.name) OWNER TO \(identifier: owner)")
            }
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(place)) } catch { outcome = .failure(error) }
            try await connection.execute("DROP DATABASE \(identifier: place.name) WITH (FORCE)")
            try await connection.execute("DROP ROLE \(identifier: place.administrator)")
            connection.close()
            try outcome.get()
        }
    }

    @Test func `the owner of the schema migrates a database of its own`() async throws {
        try await withPlace(owner: { _ in "tenure_owner" }) { place in
            #expect(try await place.migrate(as: "tenure_owner") == nil)
            try await place.age()
            #expect(try await place.migrate(as: nil) == nil)
            try await place.age()
            #expect(try await place.migrate(as: "tenure_owner") == nil)
        }
    }

    @Test func `a superuser migrates first, and the owner of the schema afterwards`() async throws {
        try await withPlace(owner: { _ in nil }) { place in
            #expect(try await place.migrate(as: nil) == nil)
            try await place.age()
            #expect(try await place.migrate(as: "tenure_owner") == nil)
        }
    }

    @Test func `a member of the owner migrates a database of its own, and the owner goes on`() async throws {
        try await withPlace(owner: { $0 }) { place in
            try await place.superuser("GRANT tenure_owner TO \(place.administrator)")
            #expect(try await place.migrate(as: place.administrator) == nil)
            try await place.age()
            #expect(try await place.migrate(as: "tenure_owner") == nil)
            try await place.age()
            #expect(try await place.migrate(as: place.administrator) == nil)
        }
    }

    @Test func `without a right on the database nothing is made, and the error says what to grant`() async throws {
        try await withPlace(owner: { _ in nil }) { place in
            let failure = try #require(try await place.migrate(as: "tenure_owner"))
            #expect(failure.exitCode == .notPermitted)
            #expect(failure.message.contains("lacks CREATE on the database and CREATE on the schema public"))
            #expect(failure.remedy?.contains("ALTER DATABASE \(place.name) OWNER TO tenure_owner") == true)
            #expect(try await !place.hasSchema())
            try await place.superuser("ALTER DATABASE \(place.name) OWNER TO tenure_owner")
            #expect(try await place.migrate(as: "tenure_owner") == nil)
        }
    }

    @Test func `a role that is no member of the owner is refused with the grant`() async throws {
        try await withPlace(owner: { $0 }) { place in
            let failure = try #require(try await place.migrate(as: place.administrator))
            #expect(failure.exitCode == .notPermitted)
            #expect(failure.remedy?.contains("GRANT tenure_owner TO \(place.administrator)") == true)
            #expect(try await !place.hasSchema())
        }
    }

    @Test func `records that another role keeps for itself name that role`() async throws {
        try await withPlace(owner: { _ in nil }) { place in
            #expect(try await place.migrate(as: nil) == nil)
            try await place.superuser("REVOKE INSERT, UPDATE ON tenure_migration, tenure_function FROM tenure_owner")
            #expect(try await place.migrate(as: "tenure_owner") == nil, "nothing has to be applied")
            try await place.age()
            let failure = try #require(try await place.migrate(as: "tenure_owner"))
            #expect(failure.exitCode == .notPermitted && failure.message.contains("which belongs to postgres"))
            #expect(failure.remedy?.hasPrefix("Migrate once as postgres or as a superuser") == true)
            #expect(try await place.migrate(as: nil) == nil)
            try await place.age()
            #expect(try await place.migrate(as: "tenure_owner") == nil)
        }
    }

    @Test func `an older version refuses a database whose functions a newer one replaced`() async throws {
        try await withPlace(owner: { _ in nil }) { place in
            #expect(try await place.migrate(as: nil) == nil)
            try await place.superuser(
                "UPDATE tenure_function SET checksum = sha256('newer'), revision = revision + 1 WHERE name = 'append'")
            let failure = try #require(try await place.migrate(as: nil))
            #expect(failure.message.contains("a newer version has replaced the function append"))
            #expect(failure.remedy?.hasPrefix("Use the newer version.") == true)
        }
    }
}
