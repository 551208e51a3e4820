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

    /// Records the appends that can be recorded, in order, and runs the effects of those that are new.
    ///
    /// - Throws: `PostgresError`, ``EffectRefused`` or ``UnexpectedOutcome``; the transaction must then be rolled back.
    static func run(
        _ batch: [PreparedAppend], settingScope scope: Bool, on connection: inout PostgresConnection
    ) async throws -> [Result<Appended, LedgerError>] {
        var batch = batch
        raiseTimes(&batch)
        var results = [Result<Appended, LedgerError>?](repeating: nil, count: batch.count)
        var open = Array(batch.indices)
        var preamble: [SQL] = []
        if scope { preamble = [LedgerScope.statement(batch.reduce(into: Set()) { $0.formUnion($1.append.ledgers) })] }
        for _ in 0..<maximumRounds where !open.isEmpty {
            let asked = open.map { batch[$0] }
            let rows = try await connection.pipeline(preamble + [AppendBatch(asked).sql]).last ?? []
            preamble = []
            guard rows.count == asked.count else { throw UnexpectedOutcome() }
            var next: [Int] = []
            for row in rows {
                let (caller, outcome) = try AppendOutcome.read(row, asked)
                let index = open[caller - 1]
                switch outcome {
                case .final(let result): results[index] = result
                case .encodeAgain(let time):
                    try batch[index].encode(time: time)
                    next.append(index)
                }
            }
            open = next.sorted()
        }
        let complete = results.compactMap(\.self)
        guard complete.count == batch.count else { throw UnexpectedOutcome() }
        try await runEffects(batch, complete, on: &connection)
        return complete
    }

    /// Lets no time run backwards within a ledger over the batch, so that few callers have to be encoded again.
    private static func raiseTimes(_ batch: inout [PreparedAppend]) {
        var latest: [LedgerID: Timestamp] = [:]
        for index in batch.indices {
            let ledgers = Set(batch[index].append.events.map(\.stream.ledger))
            let time = ledgers.compactMap { latest[$0] }.reduce(batch[index].time, max)
            // Only the bytes of the time change, so an entry that could be encoded still can.
            if time > batch[index].time { try? batch[index].encode(time: time) }
            for ledger in ledgers { latest[ledger] = time }
        }
    }

    private static func runEffects(
        _ batch: [PreparedAppend], _ results: [Result<Appended, LedgerError>],
        on connection: inout PostgresConnection
    ) async throws {
        var statements: [SQL] = []
        var callers: [Int] = []
        for (index, result) in results.enumerated() {
            guard case .success(let appended) = result, !appended.wasDuplicate else { continue }
            let effects = batch[index].append.effects(appended)
            statements += effects
            callers += Array(repeating: index, count: effects.count)
        }
        do { _ = try await connection.pipeline(statements) } catch {
            guard let place = error.statementIndex, callers.indices.contains(place), error.refusesData else {
                throw error
            }
            throw EffectRefused(caller: callers[place], constraint: error.constraint)
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
