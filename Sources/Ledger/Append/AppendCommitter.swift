import Logging
import Postgres

/// Commits batches and finds out what became of a commit whose answer was lost.
struct AppendCommitter: Sendable {
    let pool: PostgresPool
    /// How long to look for the outcome of a commit whose answer was lost.
    let patience: Duration
    let logger: Logger

    /// One result for each append, in order. Never throws: every caller is answered.
    func commit(_ batch: [PreparedAppend]) async -> [Result<Appended, LedgerError>] {
        var lost: [[Result<Appended, LedgerError>]] = []
        let deadline = ContinuousClock.now + patience
        var attempt = 0
        var independent = IndependentBatch(batch)
        var ledgers: Set<LedgerID> = []
        for prepared in batch { prepared.append.insertLedgers(into: &ledgers) }
        let scope = LedgerScope.statement(ledgers)
        while true {
            var decided: [Result<Appended, LedgerError>]?
            do {
                let opening = [scope] + [independent?.sql].compactMap(\.self)
                let results = try await pool.withTransaction(opening: opening) { connection, answers in
                    decided = nil
                    let first = try independent?.read(answers[1])
                    let results =
                        if let first { first } else { try await AppendTransaction.record(batch, on: &connection) }
                    decided = results
                    try await AppendTransaction.commit(batch, results, on: &connection)
                    return results
                }
                return Self.restoreFirstOutcomes(results, lost)
            } catch let error as PostgresError {
                // Somebody sent what the log knows already: who it was is found out one by one.
                if error.sqlState == .uniqueViolation, independent != nil {
                    independent = nil
                    continue
                }
                attempt += 1
                if error.isOutcomeUnknown, let decided { lost.append(decided) }
                let mayTryAgain = lost.isEmpty ? error.isConnectionLost && attempt < 3 : ContinuousClock.now < deadline
                if mayTryAgain, !error.refusesData, await pause(attempt) { continue }
                guard lost.isEmpty else { return batch.map { _ in .failure(Self.outcomeUnknown) } }
                return await afterRefusal(batch, Self.refusal(error))
            } catch let error as AppendTransaction.EffectRefused {
                return await afterRefusal(batch, .effectRefused(constraint: error.constraint))
            } catch {
                return await afterRefusal(batch, LedgerError(.unavailable, "the database answered out of contract"))
            }
        }
    }

    /// What one caller's content did must not touch the others: halves are tried by themselves, in order, down to the
    /// one that is refused; so one of 256 costs sixteen transactions more, and not 256.
    private func afterRefusal(
        _ batch: [PreparedAppend], _ error: LedgerError
    ) async -> [Result<Appended, LedgerError>] {
        guard batch.count > 1, error.code != .unavailable, error.code != .busy else {
            logger.warning("an append was refused", metadata: ["callers": "\(batch.count)", "code": "\(error.code)"])
            return batch.map { _ in .failure(error) }
        }
        let middle = batch.count / 2
        return await commit(Array(batch[..<middle])) + commit(Array(batch[middle...]))
    }

    /// An append that was decided by the transaction whose answer was lost is no duplicate for its caller.
    private static func restoreFirstOutcomes(
        _ results: [Result<Appended, LedgerError>], _ lost: [[Result<Appended, LedgerError>]]
    ) -> [Result<Appended, LedgerError>] {
        results.enumerated().map { index, result in
            guard case .success(let appended) = result, appended.wasDuplicate else { return result }
            for outcomes in lost {
                if case .success(let first) = outcomes[index], first.positions == appended.positions {
                    return .success(first)
                }
            }
            return result
        }
    }

    /// False when the task was cancelled.
    private func pause(_ attempt: Int) async -> Bool {
        do { try await Task.sleep(for: .milliseconds(20) * (1 << min(attempt, 5))) } catch { return false }
        return true
    }

    private static let outcomeUnknown = LedgerError(
        .outcomeUnknown, "the database's answer was lost; send the same append again")

    private static func refusal(_ error: PostgresError) -> LedgerError {
        // It is the appender that was cancelled, not its callers.
        if error.code == .cancelled { return LedgerError(.unavailable, "the appender was stopped") }
        if error.refusesData { return LedgerError(.invalidEvent, "the database refused the append (\(error))") }
        return LedgerError(error)
    }
}
