import Ledger
import Postgres

/// Statements sent in one round trip, and the ledgers whose rows they read.
///
///       var reads = PipelinedReads(in: claims.ledgers)
///       let found = reads.add(claims.sql)
///       let rows = try await context.pool.pipeline(reads)
///       let read = try claims.read(rows.of(found))
package struct PipelinedReads: Sendable {
    typealias Handle = PipelinedStatements.Handle
    let ledgers: Set<LedgerID>
    private(set) var statements = PipelinedStatements()

    init(in ledgers: Set<LedgerID>) { self.ledgers = ledgers }

    /// Adds a statement, and returns the handle of its rows.
    mutating func add(_ statement: SQL) -> Handle { statements.add(statement) }
}

/// The rows that ``PipelinedReads`` returned.
struct PipelinedRows: Sendable {
    private let answers: [[PostgresRow]]

    init(_ answers: [[PostgresRow]]) { self.answers = answers }

    /// The rows of one statement.
    ///
    /// - Throws: `PostgresError` if the rows are those of other statements.
    func of(_ handle: PipelinedReads.Handle) throws(PostgresError) -> [PostgresRow] { try handle.rows(in: answers) }
}

extension PostgresPool {
    /// Sends the statements in one round trip.
    func pipeline(_ reads: PipelinedReads) async throws -> PipelinedRows {
        PipelinedRows(try await pipeline(reads.statements.list, in: reads.ledgers))
    }

    /// Sends a statement on the row of a ledger, and behind it reads, in one transaction and one round trip. Its commit
    /// does not wait for the disk.
    func pipeline(
        first statement: SQL, in ledger: LedgerID, then reads: PipelinedReads?
    ) async throws -> (first: [PostgresRow], rows: PipelinedRows?) {
        let statements = [statement] + (reads?.statements.list ?? [])
        let ledgers = (reads?.ledgers ?? []).union([ledger])
        var answers = try await pipeline(statements, in: ledgers, waits: false)[...]
        let first = answers.popFirst() ?? []
        return (first, reads.map { _ in PipelinedRows(Array(answers)) })
    }
}
