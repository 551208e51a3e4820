public import Postgres

/// The statement that reads those events of a stream that are of some types and hold some bytes; it can be sent together with
/// others.
///
/// The server looks for the bytes, so that a long stream costs little where few of its events are wanted.
public struct StreamSearchQuery: Sendable {
    /// The statement; ``read(_:)`` takes its rows.
    public let sql: SQL
    /// The ledger whose events it sees.
    public let ledger: LedgerID

    /// Asks for events.
    ///
    /// - Parameters:
    ///   - stream: The stream they are in.
    ///   - wanted: By type, what an entry holds, as it stands in its canonical JSON; every entry holds no bytes.
    ///   - condition: What else must hold, without regard to any event: the stream is not looked at where it does not.
    public init(_ stream: StreamID, _ wanted: [String: [UInt8]], if condition: SQL = "true") {
        ledger = stream.ledger
        let wanted = wanted.sorted { $0.key < $1.key }
        sql = """
            SELECT e.ledger_id, e.position, e.event_id, e.entry
            FROM tenure.event AS e JOIN unnest(\(wanted.map(\.key)), \(wanted.map(\.value))) AS w (type, bytes)
                ON w.type = e.type
            WHERE e.ledger_id = \(stream.ledger.uuid) AND e.stream_id = \(stream.id) AND e.kind = \(stream.kind)
                AND position(w.bytes IN e.entry) > 0 AND (\(condition))
            ORDER BY e.version
            """
    }

    /// The events in the order of versions.
    public func read(_ rows: [PostgresRow]) throws -> [RecordedEvent] { try rows.map(LedgerReader.event) }
}
