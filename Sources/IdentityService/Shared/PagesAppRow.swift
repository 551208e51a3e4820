import Canonical
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// The row of the app that the pages act as. All its columns are covered by its code.
struct PagesAppRow: Sendable, Equatable {
    var app: UUID
    var secret: UUID
    /// The secret, sealed.
    var sealed: [UInt8]
    /// The public URL that the service was last started with; `nil` before the first start with pages.
    var publicURL: String?
    var changedAt: Timestamp
    var code: [UInt8]?

    private static let columns: SQL = "app_id, secret_id, sealed, public_url, changed_at, mac"

    /// The row of a new secret.
    ///
    /// - Parameter text: The secret, as an app would present it.
    /// - Throws: ``KeysError/Code/cipherFailed``.
    init(
        app: UUID, secret: UUID, text: String, publicURL: String?, changedAt: Timestamp, _ ring: KeyRing
    ) throws(KeysError) {
        self.app = app
        self.secret = secret
        sealed = try ring.sealPagesSecret(Array(text.utf8), app: app, id: secret)
        self.publicURL = publicURL
        self.changedAt = changedAt
    }

    private init(_ row: PostgresRow) throws(PostgresError) {
        let changed: PostgresTimestamp
        (app, secret, sealed, publicURL, changed, code) = try row.decode(
            UUID.self, UUID.self, [UInt8].self, String?.self, PostgresTimestamp.self, [UInt8]?.self)
        changedAt = Timestamp(microseconds: changed.microsecondsSinceUnixEpoch)
    }

    private var values: [RowValue] {
        [
            .flag(true), .uuid(app), .uuid(secret), .bytes(sealed), .text(publicURL), .time(changedAt.microseconds),
        ]
    }

    /// Reads the row; `nil` if there is none, or none that the service wrote.
    static func read(_ pool: PostgresPool, _ rows: RowAuthentication, at time: Timestamp) async throws -> PagesAppRow? {
        guard let found = try await pool.query("SELECT \(columns) FROM tenure.pages_app WHERE is_only", in: []).first
        else { return nil }
        let row = try PagesAppRow(found)
        return rows.accepts(row.code, ProtectedRows.pagesApp, row.values) ? row : nil
    }

    /// The secret as an app would present it; `nil` if it does not open: the row is of another backup than the purpose
    /// keys.
    func text(_ ring: KeyRing) -> String? {
        ring.openPagesSecret(sealed, app: app, id: secret).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The statement that writes the row in place of any other.
    func replacement(_ ring: KeyRing) -> SQL {
        """
        INSERT INTO tenure.pages_app (is_only, app_id, secret_id, sealed, public_url, changed_at, mac)
        VALUES (true, \(app), \(secret), \(sealed), \(publicURL), \(changedAt.postgres),
            \(ring.rowCode(ProtectedRows.pagesApp, values)))
        ON CONFLICT (is_only) DO UPDATE SET app_id = EXCLUDED.app_id, secret_id = EXCLUDED.secret_id,
            sealed = EXCLUDED.sealed, public_url = EXCLUDED.public_url, changed_at = EXCLUDED.changed_at,
            mac = EXCLUDED.mac
        """
    }

    /// Remembers another public URL, unless another process has changed the row since it was read.
    ///
    /// - Returns: Whether the row was changed.
    func remember(_ url: String, _ pool: PostgresPool, _ ring: KeyRing) async throws -> Bool {
        var new = self
        new.publicURL = url
        let code = ring.rowCode(ProtectedRows.pagesApp, new.values)
        let changed = try await pool.query(
            """
            UPDATE tenure.pages_app SET public_url = \(url), mac = \(code)
            WHERE is_only AND secret_id = \(secret) AND public_url IS NOT DISTINCT FROM \(publicURL)
            RETURNING app_id
            """, in: [])
        return !changed.isEmpty
    }

    /// The statement that ends the pages.
    static let deletion: SQL = "DELETE FROM tenure.pages_app WHERE is_only"
}
