import Canonical
import FoundationEssentials
import Postgres

/// Verifies the rows around the events of a ledger: head, streams and tiles.
struct LedgerRows: Sendable {
    let reader: LedgerReader

    /// A stored tile.
    struct Tile: Sendable {
        let hashes: [UInt8]
        let root: [UInt8]
        func hash(_ index: Int) -> ArraySlice<UInt8> { hashes.dropFirst(index * 32).prefix(32) }
    }

    /// Stored tiles by `level/index`.
    func tiles(_ ledger: LedgerID, _ which: [(level: Int, index: Int64)]) async throws -> [String: Tile] {
        let sql: SQL = """
            SELECT t.level, t.index, t.hashes, t.root
            FROM unnest(\(which.map { Int16($0.level) }), \(which.map(\.index))) AS w(level, index)
            JOIN tenure.tile AS t ON t.ledger_id = \(ledger.uuid) AND t.level = w.level AND t.index = w.index
            """
        let rows = try await reader.rows(sql, [ledger]) { row in
            let (level, index, hashes, root) = try row.decode(Int16.self, Int64.self, [UInt8].self, [UInt8].self)
            return ("\(level)/\(index)", Tile(hashes: hashes, root: root))
        }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    /// Compares head, streams and the number of tiles with the events that were read up to `size`.
    func check(_ verifier: inout EntryTrail, readTo size: Int64) async throws {
        try await checkHead(&verifier)
        try await checkStreams(&verifier)
        let sql: SQL = """
            SELECT level, index FROM tenure.tile WHERE ledger_id = \(verifier.ledger.uuid)
                AND (index + 1) * (256::numeric ^ (level + 1)) > (
                    SELECT coalesce(max(size), 0) FROM tenure.ledger WHERE ledger_id = \(verifier.ledger.uuid))
            ORDER BY level, index LIMIT 1
            """
        let beyond = try await reader.rows(sql, [verifier.ledger]) { row in try row.decode(Int16.self, Int64.self) }
        if let tile = beyond.first {
            verifier.report(.tile, at: nil, "tile \(tile.0)/\(tile.1) covers more events than there are")
        }
    }

    /// Compares the head with the last event. One statement reads both in one snapshot, because others may append
    /// meanwhile.
    private func checkHead(_ verifier: inout EntryTrail) async throws {
        let ledger = verifier.ledger, disowned = reader.codes.disowned.positions(in: ledger)
        let sql: SQL = """
            SELECT h.size, h."time", e.position, e."time"
            FROM (SELECT max(size) AS size, max("time") AS "time" FROM tenure.ledger
                WHERE ledger_id = \(ledger.uuid)) AS h
            LEFT JOIN LATERAL (SELECT position, "time" FROM tenure.event WHERE ledger_id = \(ledger.uuid)
                    AND NOT (position > h.size AND position = ANY (\(disowned)))
                ORDER BY position DESC LIMIT 1) AS e ON true
            """
        let rows = try await reader.rows(sql, [ledger]) { row in
            try row.decode(Int64?.self, PostgresTimestamp?.self, Int64?.self, PostgresTimestamp?.self)
        }
        guard let (size, time, last, lastTime) = rows.first else { return }
        let head = size ?? 0, position = last ?? 0
        if position > head {
            verifier.report(.unexpected, at: head + 1, "events beyond the head, which counts \(head)")
        } else if position < head, verifier.violations.allSatisfy({ $0.kind != .missing }) {
            verifier.report(.missing, at: position + 1, "the head counts \(head) events; the last ones are missing")
        } else if position == head, head > 0, time != lastTime, !disowned.contains(position) {
            verifier.report(.head, at: nil, "the head does not have the last event's time")
        }
    }

    /// Verifies that the versions of each stream are 1, 2, 3 … in the order of positions.
    ///
    /// It reads columns, which were already compared with the entries, so that the database can sort what would not fit
    /// into memory.
    private func checkStreams(_ verifier: inout EntryTrail) async throws {
        let ledger = verifier.ledger, disowned = reader.codes.disowned.positions(in: ledger)
        // Who made a disowned row chose its version and position.
        let order: SQL = disowned.isEmpty ? "position" : "version"
        let sql: SQL = """
            SELECT min(n.position) FROM (
                SELECT version, position, row_number() OVER (PARTITION BY stream_id, kind ORDER BY \(order)) AS number
                FROM tenure.event WHERE ledger_id = \(ledger.uuid)) AS n
            WHERE n.version <> n.number AND n.position <> ALL (\(disowned))
            """
        let rows = try await reader.rows(sql, [ledger]) { row in try row.decode(Int64?.self) }
        guard let position = rows.first ?? nil else { return }
        verifier.report(.stream, at: position, "the versions of a stream are not 1, 2, 3 …")
    }
}

/// A row of the log, with the columns that repeat parts of its entry.
struct StoredEvent: Sendable {
    let position: Int64
    let id: UUID
    let stream: UUID
    let kind: String
    let version: Int32
    let type: String
    let time: Timestamp
    let entry: [UInt8]
    let leaf: [UInt8]

    init(_ row: PostgresRow) throws {
        let time: PostgresTimestamp
        (position, id, stream, kind, version, type, time, entry, leaf) = try row.decode(
            Int64.self, UUID.self, UUID.self, String.self, Int32.self, String.self, PostgresTimestamp.self,
            [UInt8].self, [UInt8].self)
        self.time = Timestamp(time)
    }

    /// The query for the rows of a ledger after a position.
    static func rows(_ ledger: LedgerID, after position: Int64, to last: Int64, limit: Int) -> SQL {
        """
        SELECT position, event_id, stream_id, kind, version, type, "time", entry, leaf FROM tenure.event
        WHERE ledger_id = \(ledger.uuid) AND position > \(position) AND position <= \(last)
        ORDER BY position LIMIT \(Int64(limit))
        """
    }

    /// Compares the row with its entry, which is authoritative.
    ///
    /// - Parameter inspector: Decides whether a correct event has to be parsed in full.
    func checked(
        _ ledger: LedgerID, _ disowned: DisownedEntries, for inspector: some EventInspector
    ) -> CheckedEvent {
        let leafOfEntry = MerkleTree.leafHash(entry)
        if let leaf = disowned.leaf(at: .init(ledger: ledger, position: position)), leaf == leafOfEntry {
            return CheckedEvent(position: position, leaf: leaf, time: nil, event: nil, violation: nil)
        }
        if !inspector.concerns(type), leafOfEntry == leaf, let outline = EntryOutline(entry),
            outline.ledger == ledger, isRepeated(by: outline)
        {
            return CheckedEvent(
                position: position, leaf: leafOfEntry, time: outline.time, event: nil, violation: nil)
        }
        return read(ledger, leafOfEntry)
    }

    /// Parses the whole entry, and finds out what is wrong with it.
    private func read(_ ledger: LedgerID, _ leafOfEntry: [UInt8]) -> CheckedEvent {
        let event: RecordedEvent
        do { event = try Entry.decode(entry, at: position, leaf: leafOfEntry) } catch {
            return CheckedEvent(
                position: position, leaf: leafOfEntry, time: nil, event: nil,
                violation: Violation(.entry, ledger: ledger, position: position, error.reason))
        }
        guard event.ledger == ledger else {
            let words = "the entry belongs to another ledger"
            return CheckedEvent(
                position: position, leaf: leafOfEntry, time: nil, event: nil,
                violation: Violation(.entry, ledger: ledger, position: position, words))
        }
        let column = differingColumn(event)
        return CheckedEvent(
            position: position, leaf: leafOfEntry, time: event.time, event: event,
            violation: column.map {
                Violation(.column, ledger: ledger, position: position, "column \($0) does not repeat the entry")
            })
    }

    /// Whether the columns agree with the entry.
    private func isRepeated(by outline: EntryOutline) -> Bool {
        outline.id == id && outline.streamID == stream && outline.version == version && outline.time == time
            && outline.kind.elementsEqual(kind.utf8) && outline.type.elementsEqual(type.utf8)
    }

    private func differingColumn(_ event: RecordedEvent) -> String? {
        if event.id != id { return "event_id" }
        if event.stream.id != stream { return "stream_id" }
        if !event.stream.kind.utf8.elementsEqual(kind.utf8) { return "kind" }
        if event.streamVersion != Int(version) { return "version" }
        if !event.type.utf8.elementsEqual(type.utf8) { return "type" }
        if event.time != time { return "time" }
        if event.leaf != leaf { return "leaf" }
        return nil
    }
}

/// A row after it was compared with its entry.
struct CheckedEvent: Sendable {
    let position: Int64
    /// The hash of the entry, computed from its bytes.
    let leaf: [UInt8]
    /// The time of the event, or `nil` if the bytes are not an event of this ledger.
    let time: Timestamp?
    /// The event, or `nil` if the bytes are not an event of this ledger or no inspector needs it.
    let event: RecordedEvent?
    let violation: Violation?
}
