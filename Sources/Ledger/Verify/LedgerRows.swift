import Canonical
import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The rows around the events of a ledger: head, streams and tiles.
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

    /// Holds head, streams and the number of tiles against events that were read up to `size`.
    func check(_ verifier: inout LedgerVerifier, readTo size: Int64) async throws {
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
            verifier.report(.tile, at: nil, "tile \(tile.0)/\(tile.1) is of more events than there are")
        }
    }

    /// One statement, so that head and last event are of one snapshot while others append.
    private func checkHead(_ verifier: inout LedgerVerifier) async throws {
        let ledger = verifier.ledger
        let sql: SQL = """
            SELECT h.size, h."time", e.position, e."time"
            FROM (SELECT max(size) AS size, max("time") AS "time" FROM tenure.ledger
                WHERE ledger_id = \(ledger.uuid)) AS h
            LEFT JOIN LATERAL (SELECT position, "time" FROM tenure.event WHERE ledger_id = \(ledger.uuid)
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
        } else if position == head, head > 0, time != lastTime {
            verifier.report(.head, at: nil, "the head has another time than the last event")
        }
    }

    /// The versions of each stream are 1, 2, 3 … in the order of positions.
    ///
    /// Columns, which were held against the entries, so that the database can sort what would not fit into memory.
    private func checkStreams(_ verifier: inout LedgerVerifier) async throws {
        let ledger = verifier.ledger
        let sql: SQL = """
            SELECT min(n.position) FROM (
                SELECT version, position, row_number() OVER (PARTITION BY stream_id, kind ORDER BY position) AS number
                FROM tenure.event WHERE ledger_id = \(ledger.uuid)) AS n
            WHERE n.version <> n.number
            """
        let rows = try await reader.rows(sql, [ledger]) { row in try row.decode(Int64?.self) }
        guard let position = rows.first ?? nil else { return }
        verifier.report(.stream, at: position, "the versions of a stream are not 1, 2, 3 …")
    }
}
