public import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The statement that reads whole streams, and the first event of one of their ledgers, in one snapshot.
///
/// It can be sent together with other statements; a transaction of the application role needs the scope of ``ledgers``.
public struct StreamsQuery: Sendable {
    /// The statement; ``read(_:)`` takes its rows.
    public let sql: SQL
    /// The ledgers whose events it sees.
    public let ledgers: Set<LedgerID>
    private let ids: [StreamID]
    private let founded: LedgerID?

    /// A stream from the last event of some types on: what is before it is history, and costs nothing however long it is.
    public struct Tail: Sendable {
        let stream: StreamID
        let types: [String]

        /// Names the stream and the types; a stream without such an event is read from its beginning.
        public init(_ stream: StreamID, fromLast types: [String]) {
            self.stream = stream
            self.types = types
        }
    }

    /// Asks for all events of streams, for the end of one more, and, where a ledger is named, for its first event.
    public init(_ ids: [StreamID], tail: Tail? = nil, foundingOf founded: LedgerID? = nil) {
        self.ids = ids + (tail.map { [$0.stream] } ?? [])
        self.founded = founded
        ledgers = Set(self.ids.map(\.ledger) + (founded.map { [$0] } ?? []))
        let streams: SQL = """
            SELECT e.ledger_id, e.position, e.event_id, e.entry
            FROM unnest(\(ids.map(\.ledger.uuid)), \(ids.map(\.kind)), \(ids.map(\.id)))
                AS s(ledger_id, kind, stream_id)
            CROSS JOIN LATERAL (
                SELECT v.* FROM tenure.event AS v
                WHERE v.ledger_id = s.ledger_id AND v.stream_id = s.stream_id AND v.kind = s.kind OFFSET 0) AS e
            """
        var parts = ids.isEmpty ? [] : [streams]
        if let tail { parts.append(Self.statement(tail)) }
        if let founded {
            parts.append(
                """
                SELECT ledger_id, position, event_id, entry FROM tenure.event
                WHERE ledger_id = \(founded.uuid) AND position = 1
                """)
        }
        let first = parts.first ?? streams
        sql = parts.dropFirst().reduce(first) { "\($0) UNION ALL \($1)" }
    }

    private static func statement(_ tail: Tail) -> SQL {
        let stream = tail.stream
        let own: SQL = "ledger_id = \(stream.ledger.uuid) AND stream_id = \(stream.id) AND kind = \(stream.kind)"
        return """
            SELECT ledger_id, position, event_id, entry FROM tenure.event
            WHERE \(own) AND version >= coalesce((
                SELECT version FROM tenure.event WHERE \(own) AND type = ANY (\(tail.types))
                ORDER BY version DESC LIMIT 1), 1)
            """
    }

    /// The events of each stream in the order of versions, none for a missing stream, and the first of the ledger.
    public func read(
        _ rows: [PostgresRow]
    ) throws -> (streams: [StreamID: [RecordedEvent]], founding: RecordedEvent?) {
        var streams = Dictionary(ids.map { ($0, [RecordedEvent]()) }, uniquingKeysWith: { first, _ in first })
        var founding: RecordedEvent?
        for row in rows {
            let event = try LedgerReader.event(row)
            // The first event of the ledger comes once more when its stream was asked for too.
            if founding == nil, event.position == 1, event.stream.ledger == founded {
                founding = event
                continue
            }
            streams[event.stream]?.append(event)
        }
        for id in streams.keys { streams[id]?.sort { $0.streamVersion < $1.streamVersion } }
        return (streams, founding)
    }
}

/// What a ``StreamsQuery`` found, and what the statements beside it answered.
public struct StreamsRead: Sendable {
    /// The events of each stream in the order of versions, none for a missing stream.
    public let streams: [StreamID: [RecordedEvent]]
    /// The first event of the ledger that was named.
    public let founding: RecordedEvent?
    /// The rows of each of the other statements.
    public let rows: [[PostgresRow]]
}
