public import Postgres

/// An append as one statement, which a transaction sends together with others: no round trip of its own.
///
/// For events of new streams, whose ids nobody else can know, and streams that are only guarded. The transaction has set
/// a ``LedgerScope`` of its ledgers, has locked their heads with ``Appender/lockingHeads(_:)``, and gives the append no
/// time before those that came back.
public struct AppendStatement: Sendable {
    /// The statement. It fails with ``SQLState/divisionByZero``, and so records nothing, where a version is another than
    /// was expected or a time runs backwards.
    public let sql: SQL

    /// Checks and encodes.
    ///
    /// - Throws: ``LedgerError/Code/invalidEvent``, also for an append with claims, releases or effects, and
    ///   ``LedgerError/Code/entryTooLarge``.
    public init(_ append: Append) throws(LedgerError) {
        guard let batch = IndependentBatch([try PreparedAppend(append)]) else {
            throw LedgerError(.invalidEvent, "an append with claims is no single statement")
        }
        sql = "SELECT 1 / coalesce(cardinality((\(batch.sql))), 0)"
    }
}
