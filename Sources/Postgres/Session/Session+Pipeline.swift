import CLibPQ

extension Session {
    /// What one answer of a pipeline belongs to.
    private enum Step {
        case prepare(StatementCache.Key, name: String, index: Int)
        case execute(StatementCache.Key, isCached: Bool, index: Int)

        var index: Int {
            switch self {
            case .prepare(_, _, let index), .execute(_, _, let index): index
            }
        }
    }

    /// How many bytes of parameters wait in libpq's buffer before they are sent.
    private static let mostUnsentBytes = 65_536

    /// Sends all statements, then reads all answers: one round trip. Without a transaction they are one by themselves.
    func pipeline(
        _ statements: [SQL], isCancellable: Bool = true
    ) async throws(PostgresError) -> [[PostgresRow]] {
        for sql in statements { try sql.parameters.check() }
        let keys = statements.map { StatementCache.Key($0) }
        // What is prepared already was checked then.
        for (sql, key) in zip(statements, keys) where !cache.contains(key) { _ = try sql.checkedText() }
        var exchange = try beginExchange(isCancellable: isCancellable)
        guard unsafe PQenterPipelineMode(pointer) == 1 else { throw sendFailure() }
        let steps = try await enqueue(statements, keys, &exchange)
        try await flush(&exchange)
        var rows = [[PostgresRow]](repeating: [], count: statements.count)
        let failure = try await collect(steps, &rows, &exchange)
        if !exchange.isLost, unsafe PQexitPipelineMode(pointer) != 1 { exchange.isLost = true }
        try conclude(exchange, failure)
        return rows
    }

    private func enqueue(
        _ statements: [SQL], _ keys: [StatementCache.Key], _ exchange: inout Exchange
    ) async throws(PostgresError) -> [Step] {
        var steps: [Step] = []
        var preparing: [StatementCache.Key: String] = [:]
        var unsent = 0
        for (index, sql) in statements.enumerated() {
            let key = keys[index]
            var name = cache.name(for: key)
            let isCached = name != nil
            if name == nil { name = preparing[key] }
            // A pipeline never evicts: when the cache is full, new statements run unprepared.
            if name == nil, cache.count + preparing.count < cache.capacity, transactionStatus != PQTRANS_INERROR {
                let new = cache.makeName()
                guard sendPrepare(sql, name: new) else { throw abandonPipeline() }
                steps.append(.prepare(key, name: new, index: index))
                preparing[key] = new
                name = new
            }
            guard send(sql, name: name) else { throw abandonPipeline() }
            steps.append(.execute(key, isCached: isCached, index: index))
            // One call of the system for all of them, and one waking of the server; but what does not fit the socket stays
            // in libpq's buffer, which this bounds to little more than the largest statement.
            unsent += sql.parameters.bytes.count
            guard unsent > Self.mostUnsentBytes else { continue }
            unsent = 0
            try await flush(&exchange)
        }
        guard unsafe PQpipelineSync(pointer) == 1 else { throw abandonPipeline() }
        return steps
    }

    /// Half a pipeline has no answer that could be waited for.
    private func abandonPipeline() -> PostgresError {
        var error = sendFailure()
        error.isConnectionLost = true
        close()
        return error
    }

    private func collect(
        _ steps: [Step], _ rows: inout [[PostgresRow]], _ exchange: inout Exchange
    ) async throws(PostgresError) -> PostgresError? {
        var failure: PostgresError?
        var current = 0
        while true {
            guard let result = try await nextResult(&exchange) else {
                // Nil separates two statements.
                if exchange.isLost { return failure }
                current += 1
                continue
            }
            let step = current < steps.count ? steps[current] : nil
            switch (result.status, step) {
            case (PGRES_PIPELINE_SYNC, _): return failure
            case (PGRES_COMMAND_OK, .prepare(let key, let name, _)?):
                if !cache.isFull { cache.insert(key, name: name) }
            case (PGRES_TUPLES_OK, .execute(_, _, let index)?): rows[index] = result.rows
            case (PGRES_COMMAND_OK, _), (PGRES_EMPTY_QUERY, _), (PGRES_PIPELINE_ABORTED, _): break
            case (PGRES_COPY_IN, _), (PGRES_COPY_OUT, _), (PGRES_COPY_BOTH, _):
                // libpq cannot leave a COPY inside a pipeline (manual §34.5.1.1): the connection is given up.
                close()
                var error = PostgresError(.usage, "COPY in a pipeline; the connection was closed")
                error.isConnectionLost = true
                error.statementIndex = step?.index
                throw error
            default:
                guard failure == nil else { break }
                failure = self.failure(of: result, step)
            }
        }
    }

    private func failure(of result: QueryResult, _ step: Step?) -> PostgresError {
        var failure = result.failure()
        failure.statementIndex = step?.index
        if case .execute(let key, true, _)? = step,
            failure.sqlState == .invalidStatementName || failure.sqlState == .featureNotSupported
        {
            failure.isStaleStatement = true
            cache.remove(key)
        }
        return failure
    }
}
