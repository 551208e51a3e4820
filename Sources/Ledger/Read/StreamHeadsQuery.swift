public import Postgres

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The last event of a stream: who remembers a stream up to it has all of it, because events never change.
public struct StreamHead: Sendable, Hashable {
    /// The version of the event in its stream.
    public let version: Int
    /// The event's id.
    public let event: UUID

    /// Names an event by version and id.
    public init(version: Int, event: UUID) {
        self.version = version
        self.event = event
    }

    /// The last of a stream's events, which are in the order of versions; nil when there are none.
    public init?(_ events: [RecordedEvent]) {
        guard let last = events.last else { return nil }
        self.init(version: last.streamVersion, event: last.id)
    }
}

/// The statement that reads the last events of streams, without their entries, in one snapshot; it can be sent together with
/// others.
public struct StreamHeadsQuery: Sendable {
    /// The statement; ``read(_:)`` takes its rows.
    public let sql: SQL
    /// The ledgers whose events it sees.
    public let ledgers: Set<LedgerID>

    /// Asks for the heads of streams.
    public init(_ ids: [StreamID]) {
        ledgers = Set(ids.map(\.ledger))
        sql = """
            SELECT s.ledger_id, s.kind, s.stream_id, e.version, e.event_id
            FROM unnest(\(ids.map(\.ledger.uuid)), \(ids.map(\.kind)), \(ids.map(\.id)))
                AS s(ledger_id, kind, stream_id)
            CROSS JOIN LATERAL (
                SELECT v.version, v.event_id FROM tenure.event AS v
                WHERE v.ledger_id = s.ledger_id AND v.stream_id = s.stream_id AND v.kind = s.kind
                ORDER BY v.version DESC LIMIT 1) AS e
            """
    }

    /// The head of each stream; a stream without events has none.
    public func read(_ rows: [PostgresRow]) throws -> [StreamID: StreamHead] {
        var heads: [StreamID: StreamHead] = [:]
        for row in rows {
            let (ledger, kind, id, version, event) = try row.decode(
                UUID.self, String.self, UUID.self, Int32.self, UUID.self)
            heads[StreamID(ledger: LedgerID(ledger), kind: kind, id: id)] = StreamHead(
                version: Int(version), event: event)
        }
        return heads
    }
}
