public import Postgres

/// An append as one statement, which a transaction sends together with others: no round trip of its own.
///
/// For events of new streams, whose ids nobody else can know, and streams that are only guarded. The transaction has set
/// a ``LedgerScope`` of its ledgers, has locked their heads with ``Appender/lockingHeads(_:)``, and gives the append no
/// time before those that came back.
public struct AppendStatement: Sendable {
    /// The statement; it answers one row for ``read(_:)``.
    public let sql: SQL
    private let batch: IndependentBatch

    /// Checks and encodes.
    ///
    /// - Throws: ``LedgerError/Code/invalidEvent``, also for an append with claims, releases or effects, and
    ///   ``LedgerError/Code/entryTooLarge``.
    public init(_ append: Append) throws(LedgerError) {
        guard let batch = IndependentBatch([try PreparedAppend(append)]) else {
            throw LedgerError(.invalidEvent, "an append with claims is no single statement")
        }
        self.batch = batch
        sql = batch.sql
    }

    /// What the statement's rows say; nil when a version is another than was expected, or a time runs backwards. Then
    /// nothing was written, and the transaction goes on.
    public func read(_ rows: [PostgresRow]) throws -> Appended? {
        do { return try batch.read(rows)?.first?.get() } catch is UnexpectedOutcome {
            throw LedgerError(.unavailable, "the database answered out of contract")
        }
    }
}
