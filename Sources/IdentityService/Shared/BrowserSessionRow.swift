import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The row of a browser session, with all its columns. All of them are covered by its code.
struct BrowserSessionRow: Sendable, Equatable {
    var tenant: UUID
    var id: UUID
    var session: UUID
    var employee: UUID
    var digest: [UInt8]
    var openedAt: Timestamp
    /// The longest lifetime of the session, after which the row is deleted.
    var end: Timestamp
    var code: [UInt8]?

    private static let columns: SQL = """
        b.ledger_id, b.browser_session_id, b.session_id, b.employee_id, b.digest, b.opened_at, b.ends_at,
        b.mac
        """

    init(
        tenant: UUID, id: UUID, session: UUID, employee: UUID, digest: [UInt8], openedAt: Timestamp, end: Timestamp
    ) {
        self.tenant = tenant
        self.id = id
        self.session = session
        self.employee = employee
        self.digest = digest
        self.openedAt = openedAt
        self.end = end
    }

    private init(_ row: PostgresRow) throws(PostgresError) {
        let opened: PostgresTimestamp, ends: PostgresTimestamp
        (tenant, id, session, employee, digest, opened, ends, code) = try row.decode(
            UUID.self, UUID.self, UUID.self, UUID.self, [UInt8].self, PostgresTimestamp.self, PostgresTimestamp.self,
            [UInt8]?.self)
        openedAt = Timestamp(microseconds: opened.microsecondsSinceUnixEpoch)
        end = Timestamp(microseconds: ends.microsecondsSinceUnixEpoch)
    }

    private var values: [RowValue] {
        [
            .uuid(tenant), .uuid(id), .uuid(session), .uuid(employee), .bytes(digest), .time(openedAt.microseconds),
            .time(end.microseconds),
        ]
    }

    /// The statement that inserts the row.
    func insertion(_ ring: KeyRing) -> SQL {
        """
        INSERT INTO tenure.browser_session
            (ledger_id, browser_session_id, session_id, employee_id, digest, opened_at, ends_at, mac)
        VALUES (\(tenant), \(id), \(session), \(employee), \(digest), \(openedAt.postgres), \(end.postgres),
            \(ring.rowCode(ProtectedRows.browserSessions, values)))
        """
    }

    /// Reads the row of a cookie; `nil` if the service wrote none.
    static func find(
        _ cookie: BrowserCookie, _ context: ServiceContext, at time: Timestamp
    ) async throws -> BrowserSessionRow? {
        let found = try await context.pool.query(
            """
            SELECT \(columns) FROM tenure.browser_session b
            WHERE b.ledger_id = \(cookie.tenant.uuid) AND b.browser_session_id = \(cookie.id.uuid)
                AND b.digest = \(cookie.digest(context.ring))
            """, in: [LedgerID(cookie.tenant.uuid)])
        guard let row = try found.first.map({ try BrowserSessionRow($0) }),
            context.rows.accepts(row.code, ProtectedRows.browserSessions, row.values)
        else { return nil }
        return row
    }
}
