import CLibPQ

extension Session {
    /// Runs one statement with binary parameters and results. Prepares it if the cache may hold statements.
    func run(_ sql: SQL) async throws(PostgresError) -> QueryResult? {
        var last: QueryResult?
        try await stream(sql, isSingleRow: false) { (result: QueryResult) in last = result }
        return last
    }

    /// Runs a statement and passes on each result as it arrives. Prepares a stale prepared statement again, once.
    func stream(
        _ sql: SQL, isSingleRow: Bool, stop: StopRequest? = nil, _ body: (QueryResult) -> Void
    ) async throws(PostgresError) {
        try sql.parameters.check()
        let key = StatementCache.Key(sql)
        do { try await attempt(sql, key, isSingleRow, stop, body) } catch {
            guard error.isStaleStatement, isOpen, transactionStatus == PQTRANS_IDLE else { throw error }
            try await attempt(sql, key, isSingleRow, stop, body)
        }
    }

    private func attempt(
        _ sql: SQL, _ key: StatementCache.Key, _ isSingleRow: Bool, _ stop: StopRequest?,
        _ body: (QueryResult) -> Void
    ) async throws(PostgresError) {
        var exchange = try beginExchange()
        let cached = cache.name(for: key)
        var name = cached
        if name == nil { name = try await prepare(sql, key) }
        guard send(sql, name: name) else { throw sendFailure() }
        if isSingleRow { unsafe PQsetSingleRowMode(pointer) }
        do { try await receive(&exchange, stop, body) } catch {
            var error = error
            if cached != nil, error.sqlState == .invalidStatementName || error.sqlState == .featureNotSupported {
                error.isStaleStatement = true
                try await forget(key)
            }
            throw error
        }
    }

    private func receive(
        _ exchange: inout Exchange, _ stop: StopRequest? = nil, _ body: (QueryResult) -> Void
    ) async throws(PostgresError) {
        try await flush(&exchange)
        var failure: PostgresError?
        while let result = try await nextResult(&exchange) {
            switch result.status {
            case PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                body(result)
                if stop?.isRequested ?? false, !exchange.wasCancelled { try await requestCancel(&exchange) }
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                failure = PostgresError(.usage, "COPY needs copyIn or copyOut")
                try await refuseCopy(result.status, &exchange)
            default: failure = failure ?? result.failure()
            }
        }
        try conclude(exchange, failure)
    }

    /// Puts one execution into libpq's buffer: of the statement prepared under `name`, or parsed for this execution.
    func send(_ sql: SQL, name: String?) -> Bool {
        let count = Int32(sql.parameters.types.count)
        return unsafe sql.parameters.withPointers { types, values, lengths, formats in
            if let name {
                unsafe PQsendQueryPrepared(pointer, name, count, values, lengths, formats, 1) == 1
            } else {
                unsafe PQsendQueryParams(pointer, sql.text, count, types, values, lengths, formats, 1) == 1
            }
        }
    }

    /// Puts a PREPARE into libpq's buffer.
    func sendPrepare(_ sql: SQL, name: String) -> Bool {
        let types = sql.parameters.types.map(\.rawValue)
        return unsafe PQsendPrepare(pointer, name, sql.text, Int32(types.count), types) == 1
    }

    /// Prepares a statement. Returns `nil` if it must run unprepared. Throws the server's error about the text.
    private func prepare(_ sql: SQL, _ key: StatementCache.Key) async throws(PostgresError) -> String? {
        _ = try sql.checkedText()
        // A failed transaction accepts neither DEALLOCATE nor PREPARE, but the statement may be its ROLLBACK.
        guard cache.capacity > 0, transactionStatus != PQTRANS_INERROR else { return nil }
        if cache.isFull, let old = cache.evict() { try await deallocate(old) }
        var exchange = try beginExchange()
        let name = cache.makeName()
        guard sendPrepare(sql, name: name) else { throw sendFailure() }
        try await receive(&exchange) { _ in }
        cache.insert(key, name: name)
        return name
    }

    /// Forgets a prepared statement that the server called stale.
    ///
    /// In a failed transaction the server cannot drop its half. That costs a little memory but never causes a wrong
    /// answer, because names are used once.
    func forget(_ key: StatementCache.Key) async throws(PostgresError) {
        guard let name = cache.remove(key), isOpen, transactionStatus != PQTRANS_INERROR else { return }
        do { try await deallocate(name) } catch { if error.isConnectionLost { throw error } }
    }

    private func deallocate(_ name: String) async throws(PostgresError) { try await command("DEALLOCATE \(name)") }

    /// Ends an unexpected COPY: drops its data, or tells the server that none will come.
    func refuseCopy(_ status: ExecStatusType, _ exchange: inout Exchange) async throws(PostgresError) {
        if status == PGRES_COPY_IN {
            let ended = unsafe PQputCopyEnd(pointer, "this call does not send COPY data")
            // Without this libpq would report the same COPY again and again.
            if ended != 1 { exchange.isLost = true }
            try await flush(&exchange)
        } else {
            while try await nextCopyData(&exchange) != nil {}
        }
    }

    /// Runs fixed text or a script of several statements over the simple protocol, and returns the last command tag.
    @discardableResult
    func command(_ text: String, isCancellable: Bool = true) async throws(PostgresError) -> String {
        guard !text.utf8.contains(0) else { throw PostgresError(.usage, "the statement contains NUL") }
        var exchange = try beginExchange(isCancellable: isCancellable)
        guard unsafe PQsendQuery(pointer, text) == 1 else { throw sendFailure() }
        var tag = ""
        try await receive(&exchange) { (result: QueryResult) in tag = result.commandTag }
        return tag
    }
}

extension Session {
    /// The statement that an answer of a pipeline belongs to.
    private enum Step {
        case prepare(StatementCache.Key, name: String, index: Int)
        case execute(StatementCache.Key, isCached: Bool, index: Int)

        var index: Int {
            switch self {
            case .prepare(_, _, let index), .execute(_, _, let index): index
            }
        }
    }

    /// How many bytes of parameters may wait in libpq's buffer before they are sent.
    private static let mostUnsentBytes = 65_536

    /// Sends all statements, then reads all answers, in one round trip. Outside a transaction they form one.
    func pipeline(
        _ statements: [SQL], isCancellable: Bool = true
    ) async throws(PostgresError) -> [[PostgresRow]] {
        for sql in statements { try sql.parameters.check() }
        let keys = statements.map { StatementCache.Key($0) }
        // The text of a prepared statement was checked when it was prepared.
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
            // All statements are sent with one system call, which also wakes the server once. What does not fit the
            // socket stays in libpq's buffer, and this bounds it to little more than the largest statement.
            unsent += sql.parameters.bytes.count
            guard unsent > Self.mostUnsentBytes else { continue }
            unsent = 0
            try await flush(&exchange)
        }
        guard unsafe PQpipelineSync(pointer) == 1 else { throw abandonPipeline() }
        return steps
    }

    /// Closes the connection, because no answer to half a pipeline can be awaited.
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
                // A nil separates two statements.
                if exchange.isLost { return failure }
                current += 1
                continue
            }
            let step = current < steps.count ? steps[current] : nil
            switch (result.status, step) {
            case (PGRES_PIPELINE_SYNC, _): return failure
            case (PGRES_COMMAND_OK, .prepare(let key, let name, _)?):
                if !cache.isFull { cache.insert(key, name: name) }
            case (PGRES_TUPLES_OK, .execute(_, _, let index)?), (PGRES_SINGLE_TUPLE, .execute(_, _, let index)?):
                // After `forEachRow` libpq returns the first statement's rows one by one, and then an empty result.
                rows[index] += result.rows
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

extension Session {
    /// Single-row mode: see ``PostgresConnection/forEachRow(_:_:)``.
    func forEachRow(_ sql: SQL, _ body: (PostgresRow) throws -> Void) async throws {
        var failure: (any Error)?
        let stop = StopRequest()
        do throws(PostgresError) {
            try await stream(sql, isSingleRow: true, stop: stop) { (result: QueryResult) in
                guard failure == nil else { return }
                do { for row in result.rows { try body(row) } } catch {
                    failure = error
                    stop.isRequested = true
                }
            }
        } catch {
            throw failure ?? error
        }
        if let failure { throw failure }
    }

    /// Set by a body that wants no more rows.
    final class StopRequest { var isRequested = false }
}
