import Testing

@testable import Postgres

/// A function that a newer program replaced stays as it is.
@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct FunctionRevisionTests {
    private func migrator(revision: Int, answering number: Int) -> Migrator {
        let text = "CREATE OR REPLACE FUNCTION f() RETURNS int8 LANGUAGE sql AS 'SELECT \(number)::int8'"
        return Migrator(
            migrations: [Migration(name: "m001", sql: Array("CREATE TABLE a (i int8)".utf8))],
            functions: [(name: "f", sql: Array(text.utf8))], revision: revision, logger: .quiet)
    }

    private func answer(_ configuration: PostgresConfiguration) async throws -> Int {
        var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
        return try await connection.query("SELECT f()")[0].decode(Int.self)
    }

    @Test func `an older program does not put its function back, and says so`() async throws {
        try await TestDatabase.withDatabase { configuration in
            try await migrator(revision: 1, answering: 1).migrate(configuration)
            try await migrator(revision: 2, answering: 2).migrate(configuration)
            let older = migrator(revision: 1, answering: 1)
            let error = await #expect(throws: MigrationError.self) { try await older.migrate(configuration) }
            #expect(error?.code == .newerFunction && error?.name == "f")
            #expect(try await answer(configuration) == 2)
            var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
            let status = try await older.status(on: &connection)
            #expect(status.newerFunctions == ["f"] && status.staleFunctions == [] && status.isUsable)
            #expect(try await migrator(revision: 3, answering: 3).migrate(configuration).functions == ["f"])
        }
    }

    @Test func `a function that a later revision did not change stops nobody`() async throws {
        try await TestDatabase.withDatabase { configuration in
            try await migrator(revision: 2, answering: 1).migrate(configuration)
            #expect(try await migrator(revision: 1, answering: 1).migrate(configuration).isEmpty)
            #expect(try await migrator(revision: 2, answering: 2).migrate(configuration).functions == ["f"])
        }
    }
}
