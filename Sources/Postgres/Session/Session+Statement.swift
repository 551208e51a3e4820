import CLibPQ

extension Session {
    /// Runs one statement with binary parameters and results; prepares it when the cache has room for statements.
    func run(_ sql: SQL) async throws(PostgresError) -> QueryResult? {
        var last: QueryResult?
        try await stream(sql, isSingleRow: false) { (result: QueryResult) in last = result }
        return last
    }

    /// The same, handing each result over as it arrives; a stale prepared statement is prepared again once.
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

    /// Puts one execution into libpq's buffer: prepared under `name`, or parsed for this once.
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

    /// Prepares a statement; nil when it must run unprepared. Throws the server's objection to the text.
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

    /// Forgets a prepared statement that the server called stale. In a failed transaction the server keeps its half,
    /// which costs a little memory and never a wrong answer: names are used once.
    func forget(_ key: StatementCache.Key) async throws(PostgresError) {
        guard let name = cache.remove(key), isOpen, transactionStatus != PQTRANS_INERROR else { return }
        do { try await deallocate(name) } catch { if error.isConnectionLost { throw error } }
    }

    private func deallocate(_ name: String) async throws(PostgresError) { try await command("DEALLOCATE \(name)") }

    /// Ends a COPY nobody asked for: its data is dropped, or the server is told that none will come.
    func refuseCopy(_ status: ExecStatusType, _ exchange: inout Exchange) async throws(PostgresError) {
        if status == PGRES_COPY_IN {
            let ended = unsafe PQputCopyEnd(pointer, "this call does not send COPY data")
            // libpq would report the same COPY again and again.
            if ended != 1 { exchange.isLost = true }
            try await flush(&exchange)
        } else {
            while try await nextCopyData(&exchange) != nil {}
        }
    }

    /// Runs text of our own, or a script of several statements, over the simple protocol; returns the last command tag.
    @discardableResult
    func command(_ text: String, isCancellable: Bool = true) async throws(PostgresError) -> String {
        guard !text.utf8.contains(0) else { throw PostgresError(.usage, "the statement holds NUL") }
        var exchange = try beginExchange(isCancellable: isCancellable)
        guard unsafe PQsendQuery(pointer, text) == 1 else { throw sendFailure() }
        var tag = ""
        try await receive(&exchange) { (result: QueryResult) in tag = result.commandTag }
        return tag
    }
}
