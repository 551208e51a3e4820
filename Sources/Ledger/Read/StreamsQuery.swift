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

    /// Asks for all events of streams and, where a ledger is named, for its first event.
    public init(_ ids: [StreamID], foundingOf founded: LedgerID? = nil) {
        self.ids = ids
        self.founded = founded
        ledgers = Set(ids.map(\.ledger) + (founded.map { [$0] } ?? []))
        let streams: SQL = """
            SELECT e.ledger_id, e.position, e.event_id, e.entry
            FROM unnest(\(ids.map(\.ledger.uuid)), \(ids.map(\.kind)), \(ids.map(\.id)))
                AS s(ledger_id, kind, stream_id)
            CROSS JOIN LATERAL (
                SELECT v.* FROM tenure.event AS v
                WHERE v.ledger_id = s.ledger_id AND v.stream_id = s.stream_id AND v.kind = s.kind OFFSET 0) AS e
            """
        if let founded {
            sql = """
                SELECT ledger_id, position, event_id, entry FROM tenure.event
                WHERE ledger_id = \(founded.uuid) AND position = 1
                UNION ALL
                \(streams)
                """
        } else {
            sql = streams
        }
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
