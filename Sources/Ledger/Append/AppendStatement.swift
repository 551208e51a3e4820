import Canonical
public import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An append as one statement, which a transaction sends together with others: no round trip of its own.
///
/// For events of new streams in one ledger, streams whose ids nobody else can know; effects of the append are not run. The transaction has set a
/// ``LedgerScope`` of the ledger, has locked its head with ``Appender/lockingHead(_:)``, and gives the append no time
/// before the one that came back. Under that lock there is nothing left to decide, so it costs less than a batch.
public struct AppendStatement: Sendable {
    /// The statement. It fails with ``SQLState/divisionByZero``, and so records nothing, where the head is missing or a
    /// time runs backwards; and with ``SQLState/uniqueViolation`` where a stream or an event is not new after all.
    public let sql: SQL

    /// Checks and encodes.
    ///
    /// - Throws: ``LedgerError/Code/invalidEvent``, also for an append to several ledgers, to streams that are not new or
    ///   with claims or effects on other ledgers, and ``LedgerError/Code/entryTooLarge``.
    public init(_ append: Append) throws(LedgerError) {
        let prepared = try PreparedAppend(append)
        guard let ledger = append.events.first?.stream.ledger,
            append.events.allSatisfy({ $0.stream.ledger == ledger }),
            append.expectations.values.allSatisfy({ $0 == 0 }),
            append.expectations.keys.allSatisfy({ stream in append.events.contains { $0.stream == stream } }),
            append.claims.isEmpty, append.releases.isEmpty, append.effectLedgers.isEmpty
        else { throw LedgerError(.invalidEvent, "only events of new streams in one ledger are a single statement") }
        sql = Self.sql(prepared, ledger)
    }

    private static func sql(_ prepared: PreparedAppend, _ ledger: LedgerID) -> SQL {
        let events = prepared.append.events
        let streams = events.map(\.stream)
        let time = PostgresTimestamp(prepared.time), count = Int64(events.count)
        return """
            WITH head AS (
                UPDATE tenure.ledger SET size = size + \(count), time = \(time), changed = pg_current_xact_id()
                WHERE ledger_id = \(ledger.uuid) AND time <= \(time) RETURNING size - \(count) AS size
            ), recorded AS (
                INSERT INTO tenure.event (ledger_id, position, event_id, stream_id, kind, version, type, time, entry)
                SELECT \(ledger.uuid), head.size + e.place, e.event_id, e.stream_id, e.kind, e.version, e.type, \(time),
                    e.entry
                FROM head, unnest(
                    \(streams.map(\.id)), \(streams.map(\.kind)), \(prepared.versions.map { Int32($0) }),
                    \(events.map(\.id)), \(events.map(\.type)), \(prepared.entries)
                ) WITH ORDINALITY AS e(stream_id, kind, version, event_id, type, entry, place)
                RETURNING 1
            ) SELECT 1 / count(*)::integer FROM recorded
            """
    }
}
