import Canonical
import Postgres

/// The part of an append that runs inside a transaction.
enum AppendTransaction {
    /// A statement of one caller's effects was refused, which ends the transaction of all.
    struct EffectRefused: Error {
        /// The index of the caller in the batch.
        let caller: Int
        /// The constraint it would have broken.
        let constraint: String?
    }

    /// Twice is the rule: the head's time is known after the first answer, and its lock is held from then on.
    private static let maximumRounds = 8

    /// Records the appends that can be recorded, in order; the transaction must have a scope of their ledgers.
    ///
    /// - Throws: `PostgresError` or ``UnexpectedOutcome``; the transaction must then be rolled back.
    static func record(
        _ batch: [PreparedAppend], on connection: inout PostgresConnection
    ) async throws -> [Result<Appended, LedgerError>] {
        var batch = batch
        var latest = LatestTimes()
        latest.raise(&batch)
        var results = [Result<Appended, LedgerError>?](repeating: nil, count: batch.count)
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
                }
            }
            open = next.sorted()
        }
        let complete = results.compactMap(\.self)
        guard complete.count == batch.count else { throw UnexpectedOutcome() }
        return complete
    }

    /// Runs the effects of those that are recorded now.
    ///
    /// - Throws: `PostgresError` or ``EffectRefused``; the transaction must then be rolled back.
    static func runEffects(
        _ batch: [PreparedAppend], _ results: [Result<Appended, LedgerError>],
        on connection: inout PostgresConnection
    ) async throws {
        let effects = Effects(batch, results)
        do { _ = try await connection.pipeline(effects.statements) } catch { throw effects.failure(error) }
    }

    /// The same, and commits the transaction in the same round trip.
    ///
    /// - Throws: as ``runEffects(_:_:on:)``; nothing was committed then, unless the error says that this is not known.
    static func commit(
        _ batch: [PreparedAppend], _ results: [Result<Appended, LedgerError>],
        on connection: inout PostgresConnection
    ) async throws {
        let effects = Effects(batch, results)
        do { _ = try await connection.commit(after: effects.statements) } catch { throw effects.failure(error) }
    }

    /// The statements that belong to what is recorded now, and whose they are.
    private struct Effects {
        private(set) var statements: [SQL] = []
        private var callers: [Int] = []

        init(_ batch: [PreparedAppend], _ results: [Result<Appended, LedgerError>]) {
            for (index, result) in results.enumerated() {
                guard case .success(let appended) = result, !appended.wasDuplicate else { continue }
                let effects = batch[index].append.effects(appended)
                statements += effects
                callers += Array(repeating: index, count: effects.count)
            }
        }

        /// Whose statement a failure is to be blamed on, where it is one's.
        func failure(_ error: PostgresError) -> any Error {
            guard let place = error.statementIndex, callers.indices.contains(place), error.refusesData else {
                return error
            }
            return EffectRefused(caller: callers[place], constraint: error.constraint)
        }
    }
}

extension PostgresError {
    /// Whether the data of the statement is to blame (classes 22, 23, 42 and P0), so that trying again cannot help.
    var refusesData: Bool {
        if code == .encoding { return true }
        guard !isRetryable, let sqlState else { return false }
        return ["22", "23", "42", "P0"].contains(sqlState.classCode)
    }
}
