public import Canonical
public import Ledger
public import Postgres

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TestDatabase {
    /// Runs a pool of the application role and an appender over it beside `body`.
    public func withAppender<Result: Sendable>(
        maximumConnections: Int = 4, configuration: Appender.Configuration = Appender.Configuration(),
        _ body: (Appender, PostgresPool) async throws -> Result
    ) async throws -> Result {
        try await withPool(maximumConnections: maximumConnections) { pool in
            let appender = Appender(pool: pool, configuration: configuration, logger: TestServer.logger())
            async let running: Void = appender.run()
            let result = try await body(appender, pool)
            appender.stop()
            try await running
            return result
        }
    }
}

extension Append {
    /// An append of events without content to one stream: what most tests need.
    public static func test(
        _ stream: StreamID, expecting version: Int = 0, events: Int = 1, type: String = "ThingHappened",
        note: String = "", time: Timestamp = .now()
    ) -> Append {
        Append(
            events: (0..<events).map { number in
                NewEvent(
                    id: UUID(), stream: stream, type: type,
                    data: ["note": .string(note), "number": .integer(Int64(number))])
            }, expectations: [stream: version], time: time)
    }
}

extension StreamID {
    /// A stream of its own in a ledger.
    public static func test(_ ledger: LedgerID = LedgerID(UUID())) -> StreamID {
        StreamID(ledger: ledger, kind: "thing", id: UUID())
    }
}
