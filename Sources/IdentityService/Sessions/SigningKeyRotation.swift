import AccessTokens
package import Canonical
import Identity
import Keys
import Ledger
import Postgres

/// A key that signs tokens, by its id, and when it signs.
package struct NewSigningKey: Sendable, Equatable {
    /// What it signs: `access tokens`, `ID tokens (RS256)` or `ID tokens (ES256)`.
    package let use: String
    /// The id of the key: its thumbprint (RFC 7638), 43 characters.
    package let keyID: String
    /// When the key starts to sign.
    package let signsFrom: Timestamp
    /// Whether this call created it; `false` if an earlier rotation is still waiting.
    package let isNew: Bool
}

/// Plans the replacement of the keys of one use.
///
/// A new key is published at once and signs fifteen minutes later: by then everybody who verifies tokens has read it. The
/// old key stays published until its tokens have expired.
struct SigningKeyRotation: Sendable {
    /// The time between the publication of a key and its first signature. Longer than any copy of the keys is kept.
    static let announcement: Duration = .seconds(900)
    /// The time after which a process reads the keys again.
    static let refresh: Duration = .seconds(5)
    /// The time after which no running process signs with a deleted key, or believes it: that of a read, and as long
    /// again for what was signed meanwhile.
    static let takeover: Duration = refresh * 2
    /// The time by which a key is published longer than its tokens are valid.
    static let slack: Duration = .seconds(60)
    /// The time after which the row of a replaced key is deleted.
    static let retention: Duration = .seconds(86_400)

    /// The next key, and the statements that write it.
    struct Step: Sendable {
        let key: NewSigningKey
        var statements: [SQL] = []
    }

    private let use: SigningKeyUse
    private let pool: PostgresPool
    private let rows: RowAuthentication

    init(_ use: SigningKeyUse, pool: PostgresPool, rows: RowAuthentication) {
        self.use = use
        self.pool = pool
        self.rows = rows
    }

    /// The next key, unless one is waiting to sign; `nil` for ID tokens that nobody has requested yet.
    func next(at time: Timestamp) async throws -> Step? {
        let stored = try await pool.query(newestFirst, in: []).map { try SigningKeyRow.table(use).read($0) }
        let newest = stored.first { $0.isAuthentic(rows) }
        if let newest, newest.signsFrom > time { return Step(key: description(newest, isNew: false)) }
        guard newest != nil || use == .accessToken else { return nil }
        var step = try newKey(at: time, signingFrom: time.adding(Self.announcement))
        let oldest = time.adding(.zero - Self.retention).postgres
        step.statements.insert(
            """
            DELETE FROM \(use.table) k WHERE \(use.condition) AND EXISTS (SELECT 1 FROM \(use.table) n
                WHERE \(use.condition(of: "n")) AND n.signs_from > k.signs_from AND n.signs_from < \(oldest))
            """, at: 0)
        return step
    }

    /// A key that signs at once. All others are deleted, and their tokens are refused from then on. `nil` for ID tokens
    /// that nobody has requested yet.
    ///
    /// For a key that somebody else may know. Running processes follow within ``takeover``.
    func replacement(at time: Timestamp) async throws -> Step? {
        let hasKeys = try await !pool.query(newestFirst, in: []).isEmpty
        guard hasKeys || use == .accessToken else { return nil }
        var step = try newKey(at: time, signingFrom: time)
        step.statements.insert("DELETE FROM \(use.table) WHERE \(use.condition)", at: 0)
        return step
    }

    /// Creates the first key, which signs at once, unless another process has.
    ///
    /// Its time lies a minute back, so that a process whose clock is slow signs with it too. A row that does not open
    /// does not count.
    func createFirst<Key: StoredSigningKey>(
        at time: Timestamp, _ make: @Sendable @escaping (SigningKeyUse) throws -> Key
    ) async throws {
        let (use, rows, newestFirst) = (use, rows, newestFirst)
        try await pool.withTransaction { connection in
            _ = try await connection.query(
                "SELECT pg_advisory_xact_lock(hashtextextended(\("tenure." + use.rawValue), 0))")
            for found in try await connection.query(newestFirst) {
                let row = try SigningKeyRow.table(use).read(found)
                guard row.signsFrom <= time, row.key(rows.ring) as Key? != nil, row.isAuthentic(rows) else {
                    continue
                }
                return
            }
            let row = try SigningKeyRow(
                of: make(use), use, createdAt: time, signsFrom: time.adding(.zero - Self.slack), rows.ring)
            try await connection.execute(row.insertion(rows.ring))
        }
    }

    private var newestFirst: SQL {
        """
        SELECT \(SigningKeyRow.table(use).list("t")) FROM \(use.table) AS t WHERE \(use.condition)
        ORDER BY signs_from DESC, created_at DESC
        """
    }

    private func newKey(at time: Timestamp, signingFrom start: Timestamp) throws -> Step {
        let key: any StoredSigningKey =
            use == .accessToken ? TokenSigningKey.new(use) : try IDTokenSigningKey.new(use)
        let row = try SigningKeyRow(of: key, use, createdAt: time, signsFrom: start, rows.ring)
        return Step(key: description(row, isNew: true), statements: [row.insertion(rows.ring)])
    }

    private func description(_ row: SigningKeyRow, isNew: Bool) -> NewSigningKey {
        NewSigningKey(use: use.words, keyID: row.id, signsFrom: row.signsFrom, isNew: isNew)
    }
}
