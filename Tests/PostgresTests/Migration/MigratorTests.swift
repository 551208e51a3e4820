import Testing

@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct MigratorTests {
    private func migration(_ name: String, _ sql: String) -> Migration { Migration(name: name, sql: Array(sql.utf8)) }
    private var first: Migration { migration("m001", "CREATE TABLE a (i int8); INSERT INTO a VALUES (1);") }
    private var second: Migration { migration("m002", "INSERT INTO a VALUES (2);") }

    private func migrator(_ migrations: [Migration], _ functions: [(String, String)] = []) -> Migrator {
        Migrator(
            migrations: migrations, functions: functions.map { (name: $0.0, sql: Array($0.1.utf8)) }, logger: .quiet)
    }

    private func failure(_ body: () async throws -> Void) async throws -> MigrationError {
        do { try await body() } catch let error as MigrationError { return error }
        Issue.record("no error was thrown")
        throw CancellationError()
    }

    @Test func `migrations are applied once, in order, and listed in the status`() async throws {
        try await TestDatabase.withDatabase { configuration in
            var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
            let both = migrator([first, second])
            #expect(try await both.status(on: &connection).pending == ["m001", "m002"])
            #expect(try await migrator([first]).migrate(configuration).migrations == ["m001"])
            #expect(try await both.status(on: &connection).pending == ["m002"])
            #expect(try await both.migrate(configuration).migrations == ["m002"])
            #expect(try await both.migrate(configuration) == MigrationReport())
            #expect(try await both.status(on: &connection).isCurrent)
            #expect(try await connection.query("SELECT i FROM a ORDER BY i").map { try $0.decode(Int.self) } == [1, 2])
            let older = try await migrator([first]).status(on: &connection)
            #expect(older.unknown == ["m002"])
            #expect(older.isUsable)
            #expect(!older.isCurrent)
        }
    }

    @Test func `an unknown, misplaced, duplicate or malformed migration is refused by name`() async throws {
        try await TestDatabase.withDatabase { configuration in
            try await migrator([first, second]).migrate(configuration)
            let cases: [([Migration], MigrationError.Code, String)] = [
                ([first], .unknownMigration, "m002"),
                ([first, migration("m001b", "SELECT 1"), second], .outOfOrder, "m001b"),
                ([first, first], .duplicateName, "m001"),
                ([first, second, Migration(name: "m003", sql: [0xFF])], .malformedScript, "m003"),
                ([first, second, migration("m003", "SELECT 1;\0")], .malformedScript, "m003"),
                ([first, second, migration("m003", "COMMIT; BEGIN;")], .endsTransaction, "m003"),
            ]
            for (migrations, code, name) in cases.dropLast() {
                let error = try await failure { try await migrator(migrations).migrate(configuration) }
                #expect(error.code == code)
                #expect(error.name == name)
            }
        }
    }

    @Test func `a database with another history is refused, and nothing is applied to it`() async throws {
        try await TestDatabase.withDatabase { configuration in
            try await migrator([first, second]).migrate(configuration)
            let changed = migration("m001", "CREATE TABLE a (i int8);")
            let other = migration("m002b", "INSERT INTO a VALUES (3);")
            let cases: [([Migration], String)] = [
                ([changed, second], "m001"),
                ([first, other], "m002"),
                ([changed, other], "m001"),
                ([other], "m001"),
            ]
            var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
            for (migrations, name) in cases {
                let migrator = migrator(migrations, [("f", "INSERT INTO a VALUES (4)")])
                let error = try await failure { try await migrator.migrate(configuration) }
                #expect(error.code == .historyMismatch)
                #expect(error.name == name)
                #expect(error.description == "MigrationError(historyMismatch): \(name)")
                #expect(try await migrator.status(on: &connection).otherHistory == name)
            }
            #expect(try await connection.query("SELECT i FROM a ORDER BY i").map { try $0.decode(Int.self) } == [1, 2])
            #expect(try await migrator([first]).status(on: &connection).otherHistory == nil)
            #expect(try await migrator([first, second, other]).status(on: &connection).otherHistory == nil)
        }
    }

    @Test func `a script that ends its transaction is refused and not recorded`() async throws {
        try await TestDatabase.withDatabase { configuration in
            let bad = migration("m001", "CREATE TABLE a (i int8); COMMIT;")
            let error = try await failure { try await migrator([bad]).migrate(configuration) }
            #expect(error.code == .endsTransaction)
            var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
            #expect(try await migrator([bad]).status(on: &connection).pending == ["m001"])
        }
    }

    @Test func `a failing migration leaves no trace and keeps the earlier ones`() async throws {
        try await TestDatabase.withDatabase { configuration in
            let broken = migration("m002", "INSERT INTO a VALUES (2); SELECT 1/0;")
            let error = try await failure { try await migrator([first, broken]).migrate(configuration) }
            #expect(error.code == .failed)
            #expect(error.name == "m002")
            #expect(error.sqlState?.rawValue == "22012")
            try await migrator([first, second]).migrate(configuration)
            var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
            #expect(try await connection.query("SELECT i FROM a ORDER BY i").map { try $0.decode(Int.self) } == [1, 2])
        }
    }

    @Test func `a function is applied again if its text changes`() async throws {
        try await TestDatabase.withDatabase { configuration in
            func text(_ n: Int) -> (String, String) {
                ("f", "CREATE OR REPLACE FUNCTION f() RETURNS int8 LANGUAGE sql AS 'SELECT \(n)::int8'")
            }
            var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
            #expect(try await migrator([first], [text(1)]).migrate(configuration).functions == ["f"])
            #expect(try await migrator([first], [text(1)]).migrate(configuration).functions.isEmpty)
            #expect(try await migrator([first], [text(2)]).status(on: &connection).staleFunctions == ["f"])
            #expect(try await migrator([first], [text(2)]).migrate(configuration).functions == ["f"])
            let answer = try await connection.query("SELECT f()")
            #expect(try answer[0].decode(Int.self) == 2)
        }
    }

    @Test func `functions and procedures belong to the given owner, existing ones too`() async throws {
        try await TestDatabase.withDatabase { configuration in
            var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
            let role = "owner_\(UInt32.random(in: 0 ... .max))"
            try await connection.executeScript(
                """
                CREATE ROLE \(role); CREATE SCHEMA "Own" AUTHORIZATION \(role);
                CREATE FUNCTION "Own".f() RETURNS int8 LANGUAGE sql AS 'SELECT 1::int8';
                CREATE PROCEDURE "Own"."P"(i int8) LANGUAGE sql AS 'SELECT 1'
                """)
            let script = """
                CREATE OR REPLACE PROCEDURE "Own"."P"(i int8) LANGUAGE sql AS 'SELECT 2';
                GRANT EXECUTE ON PROCEDURE "Own"."P" TO pg_monitor
                """
            let migrator = Migrator(
                migrations: [first], functions: [ReplaceableScript(name: "p", sql: Array(script.utf8))],
                routineOwner: RoutineOwner(role: role, schema: "Own"), logger: .quiet)
            let report = try await migrator.migrate(configuration)
            #expect(report.changedOwners == ["\"Own\".\"P\"(bigint)", "\"Own\".f()"])
            #expect(report.functions == ["p"])
            #expect(try await migrator.migrate(configuration) == MigrationReport())
            let owners = try await connection.query(
                """
                SELECT DISTINCT pg_get_userbyid(proowner)::text,
                    has_function_privilege('pg_monitor', '"Own"."P"(int8)', 'EXECUTE')
                FROM pg_proc WHERE pronamespace = '"Own"'::regnamespace
                """)
            let (owner, isGranted) = try owners[0].decode(String.self, Bool.self)
            #expect(owners.count == 1 && owner == role && isGranted)
            try await connection.executeScript("DROP SCHEMA \"Own\" CASCADE; DROP OWNED BY \(role); DROP ROLE \(role)")
        }
    }

    @Test func `concurrent programs apply everything once`() async throws {
        try await TestDatabase.withDatabase { configuration in
            let migrator = migrator([first, second])
            let applied = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<6 { group.addTask { try await migrator.migrate(configuration).migrations } }
                return try await group.reduce([], +)
            }
            #expect(applied.sorted() == ["m001", "m002"])
        }
    }

    @Test func `a role without the owner's rights can read the status`() async throws {
        try await TestDatabase.withDatabase { configuration in
            try await migrator([first]).migrate(configuration)
            var connection = try await PostgresConnection.connect(configuration, logger: .quiet)
            let role = "reader_\(UInt32.random(in: 0 ... .max))"
            try await connection.execute("CREATE ROLE \(identifier: role)")
            try await connection.execute("SET ROLE \(identifier: role)")
            #expect(try await migrator([first, second]).status(on: &connection).pending == ["m002"])
            let refused = try await databaseError { try await connection.execute("DELETE FROM tenure_migration") }
            #expect(refused.sqlState == .insufficientPrivilege)
            try await connection.execute("RESET ROLE")
            try await connection.execute("DROP ROLE \(identifier: role)")
        }
    }

    @Test func `a lock that another program holds too long is an error`() async throws {
        try await TestDatabase.withDatabase { configuration in
            var holder = try await PostgresConnection.connect(configuration, logger: .quiet)
            try await holder.execute("SELECT pg_advisory_lock(\(Migrator.lockKey))")
            let impatient = Migrator(
                migrations: [first], functions: [ReplaceableScript](), lockTimeout: .milliseconds(100), logger: .quiet)
            let error = try await failure { try await impatient.migrate(configuration) }
            #expect(error.code == .lockTimeout)
        }
    }
}
