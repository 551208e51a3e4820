import CLibPQ

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
            // The server may have refused a line already: stop sending, the answer is waiting.
            if exchange.wasCancelled { return }
            try await flush(&exchange)
        }
    }

    /// Ends a COPY in; with a reason the server undoes it. Returns the rows copied.
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

    /// The next piece of a COPY out, which libpq cuts at rows; nil at the end.
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

    /// Ends a COPY out whose rest nobody wants. Never throws: where the server does not stop, the connection is closed.
    func abandonCopyOut(_ exchange: inout Exchange) async {
        do {
            try await requestCancel(&exchange)
            while try await nextCopyData(&exchange) != nil {}
            _ = try await endCopyOut(&exchange)
        } catch {
            // The server's "cancelled" is what was asked for; a lost connection is closed by now.
        }
    }

    /// Ends a COPY out after its last piece.
    func endCopyOut(_ exchange: inout Exchange) async throws(PostgresError) -> Int {
        let results = try await drain(&exchange)
        try conclude(exchange, results.first { $0.status == PGRES_FATAL_ERROR }?.failure())
        return results.last?.affectedRows ?? 0
    }
}
