import Canonical
import FoundationEssentials
import Identity
import Keys
import Postgres

/// The row of a browser session, with all its columns. All of them are covered by its code.
struct BrowserSessionRow: CodedRow, Equatable {
    var tenant: UUID
    var id: UUID
    var session: UUID
    var employee: UUID
    var digest: [UInt8]
    var openedAt: Timestamp
    /// The longest lifetime of the session, after which the row is deleted.
    var end: Timestamp
    var code: [UInt8]?

    static let table = RowTable<BrowserSessionRow>(
        "browser_session", BrowserSessionRow.init,
        Column(key: "ledger_id", \.tenant), Column(key: "browser_session_id", \.id), Column("session_id", \.session),
        Column("employee_id", \.employee), Column("digest", \.digest), Column("opened_at", \.openedAt),
        Column("ends_at", \.end), .code(\.code))

    /// Reads the row of a cookie; `nil` if the service wrote none.
    static func find(
        _ cookie: BrowserCookie, _ context: ServiceContext, at time: Timestamp
    ) async throws -> BrowserSessionRow? {
        try await all(
            in: cookie.tenant.uuid,
            where: "browser_session_id = \(cookie.id.uuid) AND digest = \(cookie.digest(context.ring))", context
        ).first
    }
}
