import CLibPQ

extension PostgresConnection {
    /// Runs `COPY … FROM STDIN`, sends what `body` writes, and returns the number of rows copied.
    ///
    /// ```swift
    /// let count = try await connection.copyIn("COPY person (name) FROM STDIN") { writer in
    ///     try await writer.write(Array("Ada\nGrace\n".utf8))
    /// }
    /// ```
    ///
    /// If `body` throws, the server undoes the copy.
    ///
    /// - Throws: ``PostgresError``, also ``PostgresError/Code/usage`` for a statement of another kind or with
    ///   parameters, and what `body` throws.
    public mutating func copyIn(
        _ sql: SQL, _ body: (inout PostgresCopyWriter) async throws -> Void
    ) async throws -> Int {
        var writer = PostgresCopyWriter(session: session, exchange: try await session.beginCopy(sql, PGRES_COPY_IN))
        do { try await body(&writer) } catch {
            if session.isOpen {
                _ = try? await session.endCopyIn(&writer.exchange, abortedBecause: "stopped by the client")
            }
            throw error
        }
        let reason = writer.exchange.wasCancelled ? "cancelled" : nil
        return try await session.endCopyIn(&writer.exchange, abortedBecause: reason)
    }

    /// Runs `COPY … TO STDOUT`, passes its data to `body` row by row, and returns the number of rows copied.
    ///
    /// If `body` throws, the copy is cancelled.
    ///
    /// - Throws: ``PostgresError``, also ``PostgresError/Code/usage`` for a statement of another kind or with
    ///   parameters, and what `body` throws.
    public mutating func copyOut(_ sql: SQL, _ body: ([UInt8]) throws -> Void) async throws -> Int {
        var exchange = try await session.beginCopy(sql, PGRES_COPY_OUT)
        while let piece = try await session.nextCopyData(&exchange) {
            do { try body(piece) } catch {
                await session.abandonCopyOut(&exchange)
                throw error
            }
        }
        return try await session.endCopyOut(&exchange)
    }
}

/// The sending end of a COPY. It is valid during the body of ``PostgresConnection/copyIn(_:_:)``.
public struct PostgresCopyWriter: ~Copyable {
    let session: Session
    var exchange: Exchange

    /// Sends bytes in the format that the COPY statement names. They need not end at a row.
    ///
    /// - Throws: ``PostgresError/Code/cancelled`` or ``PostgresError/Code/connection``.
    public mutating func write(_ bytes: [UInt8]) async throws(PostgresError) {
        guard session.isOpen, !exchange.isLost else { throw Session.closedError() }
        guard !exchange.wasCancelled, !Task.isCancelled else {
            throw PostgresError(.cancelled, "the task was cancelled")
        }
        try await session.putCopyData(bytes, &exchange)
    }
}

extension Session {
    /// Starts a COPY; the server must answer with `direction`.
    func beginCopy(_ sql: SQL, _ direction: ExecStatusType) async throws(PostgresError) -> Exchange {
        guard sql.parameters.types.isEmpty else { throw PostgresError(.usage, "COPY takes no parameters") }
        var exchange = try beginExchange()
        guard unsafe PQsendQuery(pointer, try sql.checkedText()) == 1 else { throw sendFailure() }
        try await flush(&exchange)
        guard let first = try await nextResult(&exchange) else {
            try conclude(exchange, nil)
            throw PostgresError(.usage, "not a COPY statement")
        }
        if first.status == direction { return exchange }
        var failure: PostgresError? = PostgresError(.usage, "not a COPY statement of this direction")
        if [PGRES_COPY_IN, PGRES_COPY_OUT].contains(first.status) {
            try await refuseCopy(first.status, &exchange)
        } else if first.status == PGRES_FATAL_ERROR {
            failure = first.failure()
        }
        _ = try await drain(&exchange)
        try conclude(exchange, failure)
        throw PostgresError(.usage, "not a COPY statement of this direction")
    }

    /// Sends a piece of COPY data.
    func putCopyData(_ bytes: [UInt8], _ exchange: inout Exchange) async throws(PostgresError) {
        var offset = 0
        while offset < bytes.count, !exchange.isLost {
            // Pieces of a bounded size keep libpq's buffer bounded.
            let end = min(offset + 262_144, bytes.count)
            let status = unsafe bytes[offset..<end].withUnsafeBytes { raw in
                unsafe PQputCopyData(pointer, raw.bindMemory(to: CChar.self).baseAddress, Int32(raw.count))
            }
            switch status {
            case 1: offset = end
            case 0: try await progress(.readOrWrite, &exchange)
            default:
                exchange.isLost = !isOpen
                if !exchange.isLost { throw sendFailure() }
            }
            // The server may already have refused a row: stop sending and read its answer.
            if exchange.wasCancelled { return }
            try await flush(&exchange)
        }
    }

    /// Ends a COPY in and returns the rows copied. With a reason, the server undoes it.
    func endCopyIn(_ exchange: inout Exchange, abortedBecause reason: String?) async throws(PostgresError) -> Int {
        var status: Int32 = 0
        while !exchange.isLost, status == 0 {
            status = unsafe PQputCopyEnd(pointer, reason)
            if status == 0 { try await progress(.readOrWrite, &exchange) }
        }
        try await flush(&exchange)
        let results = try await drain(&exchange)
        let failure = results.first { $0.status == PGRES_FATAL_ERROR }?.failure()
        try conclude(exchange, failure)
        return results.last?.affectedRows ?? 0
    }

    /// Returns the next piece of a COPY out, which libpq cuts at rows, or `nil` at the end.
    func nextCopyData(_ exchange: inout Exchange) async throws(PostgresError) -> [UInt8]? {
        while !exchange.isLost {
            var buffer: UnsafeMutablePointer<CChar>?
            let count = unsafe PQgetCopyData(pointer, &buffer, 1)
            if count == 0 {
                try await progress(.read, &exchange)
                continue
            }
            guard count > 0, let start = unsafe buffer else { return nil }
            defer { unsafe PQfreemem(start) }
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
        }
        return nil
    }

    /// Ends a COPY out and discards the rest. Never throws: if the server does not stop, the connection is closed.
    func abandonCopyOut(_ exchange: inout Exchange) async {
        do {
            try await requestCancel(&exchange)
            while try await nextCopyData(&exchange) != nil {}
            _ = try await endCopyOut(&exchange)
        } catch {
            // The server's "cancelled" was requested; a lost connection is already closed.
        }
    }

    /// Ends a COPY out after its last piece.
    func endCopyOut(_ exchange: inout Exchange) async throws(PostgresError) -> Int {
        let results = try await drain(&exchange)
        try conclude(exchange, results.first { $0.status == PGRES_FATAL_ERROR }?.failure())
        return results.last?.affectedRows ?? 0
    }
}
