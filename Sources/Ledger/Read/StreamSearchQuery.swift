public import Postgres

/// The statement that reads those events of a stream that hold some bytes or are of some types; it can be sent together with
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
    ///   - bytes: What an entry holds, as it stands in its canonical JSON.
    ///   - types: Types whose events are wanted in any case.
    public init(_ stream: StreamID, holding bytes: [UInt8], orTypes types: [String]) {
        ledger = stream.ledger
        sql = """
            SELECT ledger_id, position, event_id, entry FROM tenure.event
            WHERE ledger_id = \(stream.ledger.uuid) AND stream_id = \(stream.id) AND kind = \(stream.kind)
                AND (position(\(bytes) IN entry) > 0 OR type = ANY (\(types)))
            ORDER BY version
            """
    }

    /// The events in the order of versions.
    public func read(_ rows: [PostgresRow]) throws -> [RecordedEvent] { try rows.map(LedgerReader.event) }
}
