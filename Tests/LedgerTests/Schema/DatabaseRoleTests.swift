import Foundation
import Postgres
import TestSupport
import Testing

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

    @Test func `the roles of the schema pass, each as what it is`() async throws {
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
    func `a role that goes round row-level security is refused, and whoever can become one`(
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

    @Test func `the owner of the schema is refused, and members of the owner or, for the service, of the reader`()
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

    @Test func `becoming a harmless role after connecting as a superuser does not help`() async throws {
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
