import CLibPQ

extension PostgresConnection {
    /// Runs `COPY … FROM STDIN` and sends what `body` writes; returns the rows copied.
    ///
    /// When `body` throws, the server undoes the copy and the error is passed on.
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

    /// Runs `COPY … TO STDOUT` and hands over its data, cut at rows; returns the rows copied.
    ///
    /// When `body` throws, the copy is cancelled and the error passed on.
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

/// The sending end of a COPY; lives as long as the body of ``PostgresConnection/copyIn(_:_:)``.
public struct PostgresCopyWriter: ~Copyable {
    let session: Session
    var exchange: Exchange

    /// Sends bytes in the format the COPY statement names; pieces need not end at rows.
    public mutating func write(_ bytes: [UInt8]) async throws(PostgresError) {
        guard session.isOpen, !exchange.isLost else { throw Session.closedError() }
        guard !exchange.wasCancelled, !Task.isCancelled else {
            throw PostgresError(.cancelled, "the task was cancelled")
        }
        try await session.putCopyData(bytes, &exchange)
    }
}
