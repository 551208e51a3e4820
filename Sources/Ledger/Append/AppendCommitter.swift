import Canonical
import Logging
import Postgres

/// Commits batches. If the answer to a COMMIT is lost, finds out whether the batch was recorded.
struct AppendCommitter: Sendable {
    let pool: PostgresPool
    /// How long to look for the outcome of a COMMIT whose answer was lost.
    let patience: Duration
    let logger: Logger

    /// Commits a batch and returns one result for each append, in order. Failures are results too, so every caller gets
    /// an answer.
    func commit(_ batch: [PreparedAppend]) async -> [Result<AppendReceipt, LedgerError>] {
        var lost: [[Result<AppendReceipt, LedgerError>]] = []
        let deadline = ContinuousClock.now + patience
        var attempt = 0
        var independent = IndependentBatch(batch)
        var ledgers: Set<LedgerID> = []
        for prepared in batch { prepared.append.insertLedgers(into: &ledgers) }
        while true {
            var decided: [Result<AppendReceipt, LedgerError>]?
            do {
                var opening = PipelinedStatements()
                let first = independent.map { (batch: $0, rows: opening.add($0.sql)) }
                let results = try await pool.withTransaction(in: ledgers, opening: opening.list) {
                    connection, answers in
                    decided = nil
                    let recorded = try first.flatMap { try $0.batch.read($0.rows.rows(in: answers)) }
                    let results =
                        if let recorded { recorded } else { try await AppendTransaction.record(batch, on: &connection) }
                    decided = results
                    try await AppendTransaction.commit(batch, results, on: &connection)
                    return results
                }
                return Self.restoreFirstOutcomes(results, lost)
            } catch let error as PostgresError {
                // An event id is already recorded: the general function finds out which append it belongs to.
                if error.sqlState == .uniqueViolation, independent != nil {
                    independent = nil
                    continue
                }
                if error.meetsFalseHead { return await afterFalseHead(batch) }
                attempt += 1
                if error.isOutcomeUnknown, let decided {
                    lost.append(decided)
                    ConnectionPatience.current?.grant(patience)
                }
                let mayTryAgain = !lost.isEmpty || error.isConnectionLost && attempt < 3
                if mayTryAgain, ContinuousClock.now < deadline, !error.refusesData, await pause(attempt) { continue }
                guard lost.isEmpty else { return batch.map { _ in .failure(Self.outcomeUnknown) } }
                return await afterRefusal(batch, Self.refusal(error))
            } catch let error as AppendTransaction.EffectRefused {
                return await afterRefusal(batch, .effectRefused(constraint: error.constraint))
            } catch {
                return await afterRefusal(
                    batch, LedgerError(.unavailable, "the database's answer does not have the expected form"))
            }
        }
    }

    /// Somebody changed the head of a ledger, or inserted a row where it says that there is none. The sealer sets the head
    /// right and disowns the row.
    private func afterFalseHead(_ batch: [PreparedAppend]) async -> [Result<AppendReceipt, LedgerError>] {
        guard batch.count == 1 else {
            let middle = batch.count / 2
            return await commit(Array(batch[..<middle])) + commit(Array(batch[middle...]))
        }
        for event in batch[0].append.events { batch[0].codes.disowned.reportFalseHead(of: event.stream.ledger) }
        return [.failure(.falseHead)]
    }

    /// Retries the halves of a refused batch in order, so that one caller's append cannot refuse the others.
    ///
    /// Halving ends at the append that is refused. One bad append among 256 costs sixteen more transactions, not 256.
    private func afterRefusal(
        _ batch: [PreparedAppend], _ error: LedgerError
    ) async -> [Result<AppendReceipt, LedgerError>] {
        guard batch.count > 1, error.code != .unavailable, error.code != .busy else {
            logger.warning("an append was refused", metadata: ["callers": "\(batch.count)", "code": "\(error.code)"])
            return batch.map { _ in .failure(error) }
        }
        let middle = batch.count / 2
        return await commit(Array(batch[..<middle])) + commit(Array(batch[middle...]))
    }

    /// Replaces a duplicate by its first outcome, if the transaction whose answer was lost had recorded it. The caller
    /// sent it only once.
    private static func restoreFirstOutcomes(
        _ results: [Result<AppendReceipt, LedgerError>], _ lost: [[Result<AppendReceipt, LedgerError>]]
    ) -> [Result<AppendReceipt, LedgerError>] {
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

    /// Waits before a retry. Returns `false` if the task was cancelled.
    private func pause(_ attempt: Int) async -> Bool {
        do { try await Task.sleep(for: .milliseconds(20) * (1 << min(attempt, 5))) } catch { return false }
        return true
    }

    private static let outcomeUnknown = LedgerError(
        .outcomeUnknown, "the database's answer was lost; repeat the same append")

    private static func refusal(_ error: PostgresError) -> LedgerError {
        // The appender's task was cancelled, not that of a caller.
        if error.code == .cancelled { return LedgerError(.unavailable, "the appender was stopped") }
        if error.refusesData { return LedgerError(.invalidEvent, "the database refused the append (\(error))") }
        return LedgerError(error)
    }
}

/// The part of an append that runs inside a transaction.
enum AppendTransaction {
    /// The database refused a statement of one caller's effects. This aborts the transaction of the whole batch.
    struct EffectRefused: Error {
        /// The index of the caller in the batch.
        let caller: Int
        /// The constraint it would have broken.
        let constraint: String?
    }

    /// Two rounds are usual: the first answer tells the head's time, and the head stays locked from then on. Each ledger
    /// with an accepted time takes one more.
    private static let maximumRounds = 16

    /// Records those appends that can be recorded, in order. The transaction must have the scope of their ledgers.
    ///
    /// - Throws: `PostgresError` or ``UnexpectedOutcome``; the transaction must then be rolled back.
    static func record(
        _ batch: [PreparedAppend], on connection: inout PostgresConnection
    ) async throws -> [Result<AppendReceipt, LedgerError>] {
        var batch = batch
        var latest = LatestTimes()
        latest.raise(&batch)
        var results = [Result<AppendReceipt, LedgerError>?](repeating: nil, count: batch.count)
        var open = Array(batch.indices)
        for _ in 0..<maximumRounds where !open.isEmpty {
            let asked = open.map { batch[$0] }
            let rows = try await connection.query(AppendBatch(asked).sql)
            guard rows.count == asked.count else { throw UnexpectedOutcome() }
            var next: [Int] = []
            for row in rows {
                let (caller, outcome) = try AppendOutcome.read(row, asked)
                let index = open[caller - 1]
                switch outcome {
                case .final(let result): results[index] = result
                case .encodeAgain(let time):
                    batch[index].setTime(time)
                    next.append(index)
                case .encodeAccepted(let ledger, let time):
                    let disowned = batch[index].codes.disowned
                    guard await disowned.accepts(time, in: ledger) else {
                        disowned.reportFalseHead(of: ledger)
                        results[index] = .failure(.ahead(ledger))
                        continue
                    }
                    batch[index].setTime(time, in: ledger)
                    next.append(index)
                case .encodeLedgerAgain(let ledger, let time):
                    batch[index].setTime(time, in: ledger)
                    next.append(index)
                case .encodeRecorded(let time):
                    batch[index].setRecordedTime(time)
                    next.append(index)
                }
            }
            open = next.sorted()
        }
        let complete = results.compactMap(\.self)
        guard complete.count == batch.count else { throw UnexpectedOutcome() }
        return complete
    }

    /// Runs the effects of the appends that were recorded in this transaction.
    ///
    /// - Throws: `PostgresError` or ``EffectRefused``; the transaction must then be rolled back.
    static func runEffects(
        _ batch: [PreparedAppend], _ results: [Result<AppendReceipt, LedgerError>],
        on connection: inout PostgresConnection
    ) async throws {
        let effects = Effects(batch, results)
        do { _ = try await connection.pipeline(effects.statements) } catch { throw effects.failure(error) }
    }

    /// Runs the effects and commits the transaction in the same round trip.
    ///
    /// - Throws: What ``runEffects(_:_:on:)`` throws. Nothing is committed then, unless the error says that the outcome
    ///   is unknown.
    static func commit(
        _ batch: [PreparedAppend], _ results: [Result<AppendReceipt, LedgerError>],
        on connection: inout PostgresConnection
    ) async throws {
        let effects = Effects(batch, results)
        do { _ = try await connection.commit(after: effects.statements) } catch { throw effects.failure(error) }
    }

    /// The effects of the appends recorded in this transaction, with the caller that each statement belongs to.
    private struct Effects {
        private(set) var statements: [SQL] = []
        private var callers: [Int] = []

        init(_ batch: [PreparedAppend], _ results: [Result<AppendReceipt, LedgerError>]) {
            for (index, result) in results.enumerated() {
                guard case .success(let appended) = result, !appended.wasDuplicate else { continue }
                let effects = batch[index].append.effects(appended)
                statements += effects
                callers += Array(repeating: index, count: effects.count)
            }
        }

        /// The error to throw for a failed statement: ``EffectRefused`` if it was one caller's effect and its data is
        /// to blame.
        func failure(_ error: PostgresError) -> any Error {
            guard let place = error.statementIndex, callers.indices.contains(place), error.refusesData else {
                return error
            }
            return EffectRefused(caller: callers[place], constraint: error.constraint)
        }
    }
}

extension PostgresError {
    /// Whether an append met a row behind the head of a ledger, or no event where the head counts one.
    package var meetsFalseHead: Bool { constraint == "event_pkey" || sqlState == .headFalse }

    /// Whether the statement's data caused the failure (classes 22, 23, 42 and P0), so that a retry cannot help.
    var refusesData: Bool {
        if code == .encoding { return true }
        guard !isRetryable, let sqlState else { return false }
        return ["22", "23", "42", "P0"].contains(sqlState.classCode)
    }
}
