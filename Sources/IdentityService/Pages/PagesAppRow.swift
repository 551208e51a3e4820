import Canonical
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// The row of the app that the pages act as. All its columns are covered by its code.
struct PagesAppRow: CodedRow, Equatable {
    /// Holds the table to one row.
    var isOnly = true
    var app: UUID
    var secret: UUID
    var sealed: [UInt8]
    /// The public URL that the service was last started with; `nil` before the first start with pages.
    var publicURL: String?
    var changedAt: Timestamp
    var code: [UInt8]?

    static let table = RowTable<PagesAppRow>(
        "pages_app", PagesAppRow.init,
        Column(key: "is_only", \.isOnly), Column("app_id", \.app), Column("secret_id", \.secret),
        Column("sealed", \.sealed), Column("public_url", \.publicURL), Column("changed_at", \.changedAt), .code(\.code))

    /// Reads the row; `nil` if there is none, or none that the service wrote.
    static func read(_ pool: PostgresPool, _ rows: RowAuthentication, at time: Timestamp) async throws -> PagesAppRow? {
        try await pool.query("SELECT \(table.list("t")) FROM tenure.pages_app AS t WHERE t.is_only", in: []).first
            .flatMap { try rows.read($0) }
    }

    /// The secret as an app would present it; `nil` if it does not open: the row is of another backup than the purpose
    /// keys.
    func text(_ ring: KeyRing) -> String? {
        ring.openPagesSecret(sealed, app: app, id: secret).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Remembers another public URL, unless another process has changed the row since it was read.
    ///
    /// - Returns: Whether the row was changed.
    func remember(_ url: String, _ pool: PostgresPool, _ ring: KeyRing) async throws -> Bool {
        var new = self
        new.publicURL = url
        let change = new.update(
            where: "t.secret_id = \(secret) AND t.public_url IS NOT DISTINCT FROM \(publicURL)", ring)
        let changed = try await pool.query("\(change) RETURNING t.app_id", in: [])
        return !changed.isEmpty
    }

    /// The statement that ends the pages.
    static let deletion: SQL = "DELETE FROM tenure.pages_app WHERE is_only"
}

extension PagesAppRow {
    /// The row of a new secret.
    ///
    /// - Parameter text: The secret, as an app would present it.
    /// - Throws: ``KeysError/Code/cipherFailed``.
    init(
        app: UUID, secret: UUID, text: String, publicURL: String?, changedAt: Timestamp, _ ring: KeyRing
    ) throws(KeysError) {
        self.init(
            app: app, secret: secret, sealed: try ring.sealPagesSecret(Array(text.utf8), app: app, id: secret),
            publicURL: publicURL, changedAt: changedAt)
    }
}
