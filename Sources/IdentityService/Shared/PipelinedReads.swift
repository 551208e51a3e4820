import Ledger
import Postgres

/// Statements sent in one round trip, and the ledgers whose rows they read.
///
/// Adding a statement returns the place of its rows among the results:
///
///       var reads = PipelinedReads(in: claims.ledgers)
///       let place = reads.add(claims.sql)
///       let rows = try await context.pool.pipeline(reads)
///       let found = try claims.read(rows.at(place))
public struct PipelinedReads: Sendable {
    /// The place of one statement's rows among the results.
    struct Place: Sendable {
        fileprivate let index: Int
    }

    let ledgers: Set<LedgerID>
    private(set) var statements: [SQL] = []

    init(in ledgers: Set<LedgerID>) { self.ledgers = ledgers }

    /// Adds a statement, and returns where its rows will be.
    mutating func add(_ statement: SQL) -> Place {
        statements.append(statement)
        return Place(index: statements.count - 1)
    }
}

/// The rows that ``PipelinedReads`` returned.
struct PipelinedRows: Sendable {
    private let results: [[PostgresRow]]

    fileprivate init(_ results: [[PostgresRow]]) { self.results = results }

    /// The rows of one statement.
    ///
    /// - Throws: `service.unavailable` if the results are not those of the statements.
    func at(_ place: PipelinedReads.Place) throws(ServiceError) -> [PostgresRow] {
        guard results.indices.contains(place.index) else {
            throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1)
        }
        return results[place.index]
    }
}

extension PostgresPool {
    /// Sends the statements in one round trip.
    func pipeline(_ reads: PipelinedReads) async throws -> PipelinedRows {
        PipelinedRows(try await pipeline(reads.statements, in: reads.ledgers))
    }

    /// Sends a statement that sets the scope of its transaction, and behind it reads of those ledgers, in one round
    /// trip.
    func pipeline(
        first statement: SQL, then reads: PipelinedReads?
    ) async throws -> (first: [PostgresRow], rows: PipelinedRows?) {
        let statements = [statement] + (reads?.statements ?? [])
        var results = try await withConnection { connection in try await connection.pipeline(statements) }[...]
        let first = results.popFirst() ?? []
        return (first, reads.map { _ in PipelinedRows(Array(results)) })
    }
}
