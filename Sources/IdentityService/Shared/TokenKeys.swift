import AccessTokens
package import Canonical
import ErrorCodes
import FoundationEssentials
package import Keys
import Ledger
import Logging
package import Postgres

/// The keys that sign access tokens: one that signs, and those whose tokens may still be in use.
///
/// The keys are rows that all processes read again every 30 seconds, and whenever a token names an unknown key. The
/// first process that needs a key creates it.
package actor TokenKeys {
    /// A key and the time from which it signs.
    struct Entry: Sendable {
        let key: TokenSigningKey
        let signsFrom: Timestamp
    }

    /// The time after which the rows are read again.
    static let refresh: Duration = .seconds(30)
    /// The shortest time between two reads for an unknown key.
    static let pause: Duration = .seconds(1)

    private let pool: PostgresPool
    private let rows: RowAuthentication
    private let logger: Logger
    /// How long a key is published after the next one started to sign.
    private let overlap: Duration
    private var entries: [Entry] = []
    private var readAt: Timestamp?

    /// - Parameter lifetime: The lifetime of an access token.
    init(pool: PostgresPool, rows: RowAuthentication, lifetime: Duration, logger: Logger) {
        self.pool = pool
        self.rows = rows
        self.logger = logger
        overlap = lifetime + TokenKeyRotation.slack
    }

    /// Returns the key that signs now. Creates the first one.
    func signingKey(at time: Timestamp) async throws -> TokenSigningKey {
        try await read(at: time, unlessReadWithin: Self.refresh)
        if let key = current(at: time) { return key }
        _ = try await TokenKeyRotation(pool: pool, rows: rows).createFirst(at: time)
        try await read(at: time, unlessReadWithin: .zero)
        guard let key = current(at: time) else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
        return key
    }

    /// Returns the keys with which tokens that are in use, or soon will be, can be verified.
    func published(at time: Timestamp) async throws -> TokenKeySet {
        _ = try await signingKey(at: time)
        return set(at: time)
    }

    /// Returns the published keys, and looks for a key that this process does not know yet.
    func published(including keyID: String, at time: Timestamp) async throws -> TokenKeySet {
        let known = try await published(at: time)
        guard !known.keys.contains(where: { $0.keyID == keyID }) else { return known }
        try await read(at: time, unlessReadWithin: Self.pause)
        return set(at: time)
    }

    private func current(at time: Timestamp) -> TokenSigningKey? { entries.last { $0.signsFrom <= time }?.key }

    /// A key is published until the tokens that it signed before its successor have expired.
    private func set(at time: Timestamp) -> TokenKeySet {
        let successors = entries.dropFirst().map { Optional($0.signsFrom) } + [nil]
        let keys = zip(entries, successors).filter { _, successor in
            successor.map { time < $0.adding(overlap) } ?? true
        }
        return TokenKeySet(keys: keys.map { $0.0.key.publicKey })
    }

    /// Reads the rows, oldest key first, unless they were read a moment ago.
    private func read(at time: Timestamp, unlessReadWithin pause: Duration) async throws {
        if let readAt, readAt <= time, time < readAt.adding(pause) { return }
        let found = try await pool.query(
            "SELECT \(TokenKeyRow.columns) FROM tenure.token_key ORDER BY signs_from, created_at, key_id", in: [])
        var uncoded: [TokenKeyRow] = []
        entries = try found.compactMap { found in
            let row = try TokenKeyRow(found)
            guard let clear = rows.ring.openTokenKey(row.sealed, keyID: row.id),
                let key = TokenSigningKey(rawRepresentation: clear), key.publicKey.keyID == row.id
            else {
                // A row of another backup than the purpose keys. Another key signs; this one can never be used again.
                logger.error(
                    "a key that signs access tokens does not open; run tenure key rotate --tokens --compromised",
                    metadata: ["kid": "\(row.id)"])
                return nil
            }
            guard row.isAuthentic(rows, at: time) else { return nil }
            if row.code == nil { uncoded.append(row) }
            return Entry(key: key, signsFrom: row.signsFrom)
        }
        readAt = time
        for row in uncoded { try await addCode(to: row) }
    }

    /// Gives a key from before there were codes its code, while such keys are accepted: it goes on to sign after that.
    private func addCode(to row: TokenKeyRow) async throws {
        _ = try await pool.query(
            """
            UPDATE tenure.token_key SET mac = \(row.rightCode(rows.ring))
            WHERE key_id = \(row.id) AND sealed = \(row.sealed) AND created_at = \(row.createdAt.postgres)
                AND signs_from = \(row.signsFrom.postgres) AND mac IS NULL
            """, in: [])
    }
}

/// The row of a key. All its columns are covered by its code, so that nobody makes an old key sign again.
struct TokenKeyRow: Sendable {
    var id: String
    var sealed: [UInt8]
    var createdAt: Timestamp
    var signsFrom: Timestamp
    var code: [UInt8]?

    static let columns: SQL = "key_id, sealed, created_at, signs_from, mac"

    init(_ row: PostgresRow) throws(PostgresError) {
        let created: PostgresTimestamp, start: PostgresTimestamp
        (id, sealed, created, start, code) = try row.decode(
            String.self, [UInt8].self, PostgresTimestamp.self, PostgresTimestamp.self, [UInt8]?.self)
        createdAt = Timestamp(microseconds: created.microsecondsSinceUnixEpoch)
        signsFrom = Timestamp(microseconds: start.microsecondsSinceUnixEpoch)
    }

    init(id: String, sealed: [UInt8], createdAt: Timestamp, signsFrom: Timestamp) {
        self.id = id
        self.sealed = sealed
        self.createdAt = createdAt
        self.signsFrom = signsFrom
    }

    private var values: [RowValue] {
        [.text(id), .bytes(sealed), .time(createdAt.microseconds), .time(signsFrom.microseconds)]
    }

    /// The code that the row must have.
    func rightCode(_ ring: KeyRing) -> [UInt8] { ring.rowCode(ProtectedRows.tokenKeys, values) }

    /// Whether the service wrote the row as it is.
    func isAuthentic(_ rows: RowAuthentication, at time: Timestamp) -> Bool {
        rows.accepts(code, ProtectedRows.tokenKeys, values, at: time)
    }
}

/// Replaces the key that signs access tokens.
///
/// A new key is published at once and signs fifteen minutes later: by then everybody who verifies tokens has read it. The
/// old key stays published until its tokens have expired.
///
/// ```swift
/// let new = try await TokenKeyRotation(pool: pool, ring: ring).rotate(at: .now())
/// print("The key \(new.keyID) signs from \(new.signsFrom) on.")
/// ```
package struct TokenKeyRotation: Sendable {
    /// A key by its id, and when it signs.
    package struct NewKey: Sendable, Equatable {
        /// The id of the key: its thumbprint (RFC 7638), 43 characters.
        package let keyID: String
        /// When the key starts to sign.
        package let signsFrom: Timestamp
        /// Whether this call created it; `false` if an earlier rotation is still waiting.
        package let isNew: Bool
    }

    /// The time between the publication of a key and its first signature. Longer than any copy of the keys is kept.
    package static let announcement: Duration = .seconds(900)
    /// The time by which a key is published longer than its tokens are valid.
    static let slack: Duration = .seconds(60)
    /// The time after which the row of a replaced key is deleted.
    static let retention: Duration = .seconds(86_400)

    private let pool: PostgresPool
    private let rows: RowAuthentication

    /// - Parameters:
    ///   - pool: Connections of the application role.
    ///   - ring: The keys of the installation.
    package init(pool: PostgresPool, ring: KeyRing) {
        self.init(pool: pool, rows: RowAuthentication(ring, logger: Logger(label: "tenure.token-keys")))
    }

    init(pool: PostgresPool, rows: RowAuthentication) {
        self.pool = pool
        self.rows = rows
    }

    /// Creates the next key, unless one is waiting to sign.
    package func rotate(at time: Timestamp) async throws -> NewKey {
        try await exclusively { connection in
            let newest = try await newest(&connection, at: time)
            if let newest, newest.signsFrom > time { return newest }
            try await connection.execute(
                """
                DELETE FROM tenure.token_key k WHERE EXISTS (SELECT 1 FROM tenure.token_key n
                    WHERE n.signs_from > k.signs_from AND n.signs_from < \(time.adding(.zero - Self.retention).postgres))
                """)
            return try await insert(at: time, signingFrom: time.adding(Self.announcement), &connection)
        }
    }

    /// Creates a key that signs at once and deletes all others, whose tokens are refused from then on.
    ///
    /// For a key that somebody else may know. Running processes follow within half a minute.
    package func replaceAll(at time: Timestamp) async throws -> NewKey {
        try await exclusively { connection in
            try await connection.execute("DELETE FROM tenure.token_key")
            return try await insert(at: time, signingFrom: time, &connection)
        }
    }

    /// Creates the first key, which signs at once, unless another process has.
    ///
    /// Its time lies a minute back, so that a process whose clock is slow signs with it too. A row that does not open
    /// does not count.
    func createFirst(at time: Timestamp) async throws -> NewKey {
        try await exclusively { connection in
            let found = try await connection.query(
                """
                SELECT \(TokenKeyRow.columns) FROM tenure.token_key WHERE signs_from <= \(time.postgres)
                ORDER BY signs_from DESC
                """)
            for found in found {
                let row = try TokenKeyRow(found)
                guard rows.ring.openTokenKey(row.sealed, keyID: row.id) != nil, row.isAuthentic(rows, at: time) else {
                    continue
                }
                return NewKey(keyID: row.id, signsFrom: row.signsFrom, isNew: false)
            }
            return try await insert(at: time, signingFrom: time.adding(.zero - Self.slack), &connection)
        }
    }

    /// Runs a change while no other process changes the keys.
    private func exclusively(
        _ change: @Sendable @escaping (inout PostgresConnection) async throws -> NewKey
    ) async throws -> NewKey {
        try await pool.withTransaction { connection in
            _ = try await connection.query("SELECT pg_advisory_xact_lock(hashtextextended('tenure.token_key', 0))")
            return try await change(&connection)
        }
    }

    private func newest(_ connection: inout PostgresConnection, at time: Timestamp) async throws -> NewKey? {
        let found = try await connection.query(
            "SELECT \(TokenKeyRow.columns) FROM tenure.token_key ORDER BY signs_from DESC, created_at DESC")
        let newest = try found.lazy.map { try TokenKeyRow($0) }.first { $0.isAuthentic(rows, at: time) }
        return newest.map { NewKey(keyID: $0.id, signsFrom: $0.signsFrom, isNew: false) }
    }

    private func insert(
        at time: Timestamp, signingFrom start: Timestamp, _ connection: inout PostgresConnection
    ) async throws -> NewKey {
        let key = TokenSigningKey()
        let id = key.publicKey.keyID
        let sealed = try rows.ring.sealTokenKey(key.rawRepresentation, keyID: id)
        let row = TokenKeyRow(id: id, sealed: sealed, createdAt: time, signsFrom: start)
        try await connection.execute(
            """
            INSERT INTO tenure.token_key (key_id, sealed, created_at, signs_from, mac)
            VALUES (\(id), \(sealed), \(time.postgres), \(start.postgres), \(row.rightCode(rows.ring)))
            """)
        return NewKey(keyID: id, signsFrom: start, isNew: true)
    }
}
