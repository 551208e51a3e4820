public import Postgres

extension Appender {
    /// Records appends in a transaction of the caller, which must be READ COMMITTED and must have set a ``LedgerScope``
    /// of all their ledgers.
    ///
    /// Heads are locked first, in the order of ledger ids, then claims, then the rows of the effects: a transaction that
    /// touches such rows before it calls this may deadlock with others. Nothing is recorded before the commit, and a
    /// result of a refused append does not end the transaction.
    ///
    /// - Returns: One result for each append, in order.
    /// - Throws: `PostgresError` when a statement failed, and ``LedgerError/Code/effectRefused``; the transaction must
    ///   then be rolled back.
    public static func append(
        _ batch: [Append], on connection: inout PostgresConnection
    ) async throws -> [Result<Appended, LedgerError>] {
        let prepared = batch.map { append in Result { () throws(LedgerError) in try PreparedAppend(append) } }
        let valid = prepared.compactMap { try? $0.get() }
        do {
            let results = try await AppendTransaction.record(valid, on: &connection)
            try await AppendTransaction.runEffects(valid, results, on: &connection)
            var recorded = results[...]
            return prepared.map { result in
                switch result {
                case .success: recorded.popFirst() ?? .failure(LedgerError(.unavailable, "an answer is missing"))
                case .failure(let error): .failure(error)
                }
            }
        } catch let error as AppendTransaction.EffectRefused {
            throw LedgerError.effectRefused(constraint: error.constraint)
        } catch is UnexpectedOutcome {
            throw LedgerError(.unavailable, "the database answered out of contract")
        }
    }

    /// The statement that makes missing heads of ledgers and locks all, in the order of their ids, until the transaction
    /// ends. It answers one row with the latest time of these ledgers, before which none of their events may be.
    ///
    /// For transactions that change other rows of a ledger and append to it afterwards: it keeps the order of locks.
    public static func lockingHeads(_ ledgers: some Sequence<LedgerID>) -> SQL {
        "SELECT tenure.lock_heads(\(ledgers.map(\.uuid)))"
    }

    /// The statement that makes the heads that are missing, for who has no other business in the transaction.
    public static func makingHeads(_ ledgers: some Sequence<LedgerID>) -> SQL {
        """
        INSERT INTO tenure.ledger (ledger_id) SELECT id FROM unnest(\(ledgers.sorted().map(\.uuid))) AS id
        WHERE NOT EXISTS (SELECT FROM tenure.ledger AS l WHERE l.ledger_id = id) ON CONFLICT DO NOTHING
        """
    }

    /// Locks the head of one ledger and answers its time, like ``lockingHeads(_:)``; it makes none, and answers no row where
    /// there is none.
    public static func lockingHead(_ ledger: LedgerID) -> SQL {
        "SELECT time FROM tenure.ledger WHERE ledger_id = \(ledger.uuid) FOR UPDATE"
    }
}
