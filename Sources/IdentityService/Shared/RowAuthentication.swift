import FoundationEssentials
package import Keys
package import Ledger
package import Logging
import Postgres
import Synchronization

/// Makes and compares the codes of rows.
///
/// A row without a right code is refused as a missing one is, or with what is safer. It is counted, and named in the log at
/// most once a second for each table.
struct RowAuthentication: Sendable {
    let ring: KeyRing
    let counts: UnauthenticRows

    init(_ ring: KeyRing, logger: Logger) {
        self.ring = ring
        counts = UnauthenticRows(logger)
    }

    /// Whether the service wrote the row. If not, it is counted.
    func accepts(_ code: [UInt8]?, _ table: CodedTable, _ values: [RowValue]) -> Bool {
        if let code, ring.isRowCode(code, table, values) { return true }
        counts.count(table, hasCode: code != nil)
        return false
    }
}

extension TileCodes {
    /// The codes of stored tiles under a ring. One without a right code is computed and stored anew.
    package init(_ ring: KeyRing, logger: Logger) { self = RowAuthentication(ring, logger: logger).tileCodes }
}

extension RowAuthentication {
    /// The codes of stored tiles, which are counted with the other rows.
    var tileCodes: TileCodes {
        let table = TileCodes.Tile.table
        return TileCodes(code: { table.rightCode($0, ring) }) { accepts($0, table.coded, table.values($1)) }
    }
}

extension TileCodes.Tile: StoredRow {
    /// The root commits to the hashes below it, which nothing reads but `verify`.
    package static let table = RowTable<Self>(
        "tile",
        written: Column(key: "ledger_id", \.ledger.uuid), Column(key: "level", { Int64($0.level) }),
        Column(key: "index", \.index), Column("root", \.root))
}

extension RowAuthentication {
    /// Whether the service wrote a row as it is. If not, it is counted.
    func accepts<Row: CodedRow>(_ row: Row) -> Bool { accepts(row.code, Row.table.coded, Row.table.values(row)) }

    /// Reads a row that the service wrote; `nil` for any other.
    ///
    /// - Throws: `PostgresError`.
    func read<Row: CodedRow>(_ found: PostgresRow, as type: Row.Type = Row.self) throws -> Row? {
        do {
            let row = try Row.table.read(found)
            return accepts(row) ? row : nil
        } catch is UnreadableColumn {
            counts.count(Row.table.coded, hasCode: true)
            return nil
        }
    }
}

extension CodedRow {
    /// Reads rows of a ledger that the service wrote.
    ///
    /// - Parameter condition: Which ones; it calls the table `t`, and may end with an order and a limit.
    static func all(in ledger: UUID, where condition: SQL, _ context: ServiceContext) async throws -> [Self] {
        let found = try await context.pool.query(
            """
            SELECT \(table.list("t")) FROM tenure.\(identifier: table.name) AS t
            WHERE t.ledger_id = \(ledger) AND \(condition)
            """, in: [LedgerID(ledger)])
        return try found.compactMap { try context.rows.read($0) }
    }
}

/// Counts the rows that were refused because the service did not write them.
final class UnauthenticRows: Sendable {
    /// The shortest time between two lines of the log about one table.
    static let pause: Duration = .seconds(1)

    private struct Count {
        var rows = 0
        var toldAt: ContinuousClock.Instant?
    }

    private let counts = Mutex<[String: Count]>([:])
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    func count(_ table: CodedTable, hasCode: Bool) {
        let now = ContinuousClock.now
        let isDue = counts.withLock { counts in
            var count = counts[table.name] ?? Count()
            count.rows += 1
            let isDue = count.toldAt.map { now >= $0 + Self.pause } ?? true
            if isDue { count.toldAt = now }
            counts[table.name] = count
            return isDue
        }
        guard isDue else { return }
        logger.error(
            "a row was refused that the service did not write as it is; run tenure doctor",
            metadata: ["table": "\(table.name)", "code": "\(hasCode ? "wrong" : "missing")"])
    }

    /// The number of rows of a table that were refused.
    func rows(of table: CodedTable) -> Int { counts.withLock { $0[table.name]?.rows ?? 0 } }
}
