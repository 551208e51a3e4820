import Foundation
import Postgres
import TestSupport

/// A database of one test's own with a pool of the application's and one of the reader's role.
enum KeysDatabase {
    /// Makes a database, runs `body` and drops the database.
    static func withPools(
        _ body: (TestDatabase, _ application: PostgresPool, _ reader: PostgresPool) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            try await database.withPool(as: .application) { application in
                try await database.withPool(as: .reader) { reader in
                    try await body(database, application, reader)
                }
            }
        }
    }
}

extension PostgresPool {
    /// Runs statements in one transaction that has named the ledgers, as an append does.
    func run(_ statements: [SQL], ledgers: [UUID]) async throws {
        let text = "{" + ledgers.map { $0.uuidString.lowercased() }.joined(separator: ",") + "}"
        try await withTransaction { connection in
            _ = try await connection.query("SELECT set_config('tenure.ledgers', \(text), true)")
            for statement in statements { try await connection.execute(statement) }
        }
    }
}
