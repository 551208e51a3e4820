import FoundationEssentials
package import Keys
package import Ledger
package import Logging
import Postgres
import Synchronization

/// The tables whose rows carry a code, with the columns that it covers.
///
/// A table that decides and is not here has another wall, which `RowWalls` names. Names and order of columns are
/// permanent: the codes cover them.
enum ProtectedRows {
    static let sessions = CodedTable(
        "session", key: ["ledger_id", "session_id"],
        covered: [
            "employee_id", "fingerprint", "access_digest", "access_expires_at", "refresh_expires_at", "created_at",
            "ends_at", "app_id", "secret_id", "tenant_version", "refresh_counter", "methods",
        ])
    static let cutoffs = CodedTable(
        "session_cutoff", key: ["ledger_id", "subject"], covered: ["tenant_version", "created_at"])
    static let passes = CodedTable(
        "mpin_pass", key: ["ledger_id", "pass_id"],
        covered: [
            "app_id", "mpin_hash", "commitment", "challenge", "opened_at", "expires_at", "token", "verdict",
            "sealed_id",
            "redeemed",
        ])
    /// The root commits to the hashes below it, which nothing reads but `verify`.
    static let tiles = CodedTable("tile", key: ["ledger_id", "level", "index"], covered: ["root"])
    static let claims = CodedTable(
        "claim", key: ["ledger_id", "kind", "key"], covered: ["owner", "value", "expires_at"])
    static let mails = CodedTable(
        "mail_outbox", key: ["ledger_id", "mail_id"],
        covered: ["recipient_kind", "recipient_id", "kind", "locale", "expires_at"])
    static let replies = CodedTable(
        "idempotency", key: ["ledger_id", "key"],
        covered: ["fingerprint", "state", "answer", "expires_at"])
    static let recoveryRequests = CodedTable(
        "recovery_request", key: ["ledger_id", "employee_id", "fingerprint"], covered: ["expires_at", "is_open"])
    static let tokenKeys = CodedTable(
        "token_key", key: ["key_id"], covered: ["sealed", "created_at", "signs_from"])
    static let idTokenKeys = CodedTable(
        "id_token_key", key: ["key_id"], covered: ["algorithm", "sealed", "created_at", "signs_from"])
    static let pagesApp = CodedTable(
        "pages_app", key: ["is_only"], covered: ["app_id", "secret_id", "sealed", "public_url", "changed_at"])

    /// All tables, in the order of their names.
    static let all = [
        AuthorizationCodeRow.table.coded, BrowserSessionRow.table.coded, BrowserWaitRow.table.coded, claims,
        GrantRow.table.coded, idTokenKeys, replies, mails, passes,
        pagesApp, recoveryRequests, sessions, cutoffs, tiles, tokenKeys,
    ]
}

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

    func code(_ table: CodedTable, _ values: [RowValue]) -> [UInt8] { ring.rowCode(table, values) }

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
        @Sendable func values(_ tile: TileCodes.Tile) -> [RowValue] {
            [.uuid(tile.ledger.uuid), .integer(Int64(tile.level)), .integer(tile.index), .bytes(tile.root)]
        }
        return TileCodes(code: { code(ProtectedRows.tiles, values($0)) }) { code, tile in
            accepts(code, ProtectedRows.tiles, values(tile))
        }
    }
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

    /// Counts one row of a table.
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

    /// The counters in the Prometheus text format, one for each table.
    var metrics: String {
        let lines = ProtectedRows.all.map {
            "tenure_unauthentic_rows_total{table=\"\($0.name)\"} \(rows(of: $0))\n"
        }
        return """
            # HELP tenure_unauthentic_rows_total Rows that were refused because the service did not write them.
            # TYPE tenure_unauthentic_rows_total counter

            """ + lines.joined()
    }
}
