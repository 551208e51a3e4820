package import Canonical
package import Postgres

/// A key that signs tokens, as `tenure key status --tokens` lists it.
package struct SigningKeyView: Sendable, Equatable {
    /// What it signs: `access tokens`, `ID tokens (RS256)` or `ID tokens (ES256)`.
    package let use: String
    package let keyID: String
    /// When it was made.
    package let createdAt: Timestamp
    /// When it starts to sign.
    package let signsFrom: Timestamp
    /// Whether it is the key that signs now.
    package let signs: Bool

    /// Lists the keys, those of one use together, newest first.
    ///
    /// - Parameter pool: Connections of the reader role.
    package static func all(_ pool: PostgresPool, at time: Timestamp) async throws -> [SigningKeyView] {
        var views: [SigningKeyView] = []
        for use in SigningKeyUse.allCases {
            let rows = try await pool.withConnection { connection in
                try await connection.query(
                    """
                    SELECT key_id, created_at, signs_from FROM \(use.table) WHERE \(use.condition)
                    ORDER BY signs_from DESC, created_at DESC, key_id DESC
                    """)
            }
            var hasSigner = false
            for row in rows {
                let (id, created, start) = try row.decode(
                    String.self, PostgresTimestamp.self, PostgresTimestamp.self)
                let signsFrom = Timestamp(microseconds: start.microsecondsSinceUnixEpoch)
                let signs = signsFrom <= time && !hasSigner
                hasSigner = hasSigner || signs
                views.append(
                    SigningKeyView(
                        use: use.words, keyID: id,
                        createdAt: Timestamp(microseconds: created.microsecondsSinceUnixEpoch), signsFrom: signsFrom,
                        signs: signs))
            }
        }
        return views
    }
}
