import AccessTokens
import Canonical
import ErrorCodes
import Keys
import Ledger
import Logging
import Postgres

/// The keys that sign access tokens.
typealias TokenKeys = SigningKeys<TokenSigningKey>

/// The keys of one use: one that signs, and those whose tokens may still be in use.
///
/// The keys are rows that all processes read again every five seconds, and whenever a token names an unknown key. The
/// first process that needs a key creates it. However long a call takes, and whatever its time is, what was read longer
/// ago signs and verifies nothing: ``SigningKeyRotation/takeover`` counts on it.
actor SigningKeys<Key: StoredSigningKey> {
    /// A key and the time from which it signs.
    struct Entry: Sendable {
        let key: Key
        let signsFrom: Timestamp
    }

    /// The shortest time between two reads for an unknown key.
    private var pause: Duration { .seconds(1) }

    private let use: SigningKeyUse
    private let pool: PostgresPool
    private let rows: RowAuthentication
    private let logger: Logger
    /// How long a key is published after the next one started to sign.
    private let overlap: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private var entries: [Entry] = []
    /// The time of the call for which the rows were read, and when that read began.
    private var read: (time: Timestamp, at: ContinuousClock.Instant)?

    /// - Parameter lifetime: The lifetime of a token.
    init(
        _ use: SigningKeyUse, pool: PostgresPool, rows: RowAuthentication, lifetime: Duration, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.now = now
        self.use = use
        self.pool = pool
        self.rows = rows
        self.logger = logger
        overlap = lifetime + SigningKeyRotation.slack
    }

    /// Returns the key that signs now. Creates the first one.
    func signingKey(at time: Timestamp) async throws -> Key {
        try await read(at: time, unlessReadWithin: SigningKeyRotation.refresh)
        if let key = current(at: time) { return key }
        try await SigningKeyRotation(use, pool: pool, rows: rows).createFirst(at: time) { try Key.new($0) }
        try await read(at: time, unlessReadWithin: .zero)
        guard let key = current(at: time) else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
        return key
    }

    /// Returns the keys with which tokens that are in use, or soon will be, can be verified.
    ///
    /// - Parameter keyID: A key that is looked for if this process does not know it yet.
    func keys(including keyID: String? = nil, at time: Timestamp) async throws -> [Key] {
        _ = try await signingKey(at: time)
        let known = known(at: time)
        guard let keyID, !known.contains(where: { $0.keyID == keyID }) else { return known }
        try await read(at: time, unlessReadWithin: pause)
        return self.known(at: time)
    }

    private func current(at time: Timestamp) -> Key? { entries.last { $0.signsFrom <= time }?.key }

    /// A key is published until the tokens that it signed before its successor have expired.
    private func known(at time: Timestamp) -> [Key] {
        let successors = entries.dropFirst().map { Optional($0.signsFrom) } + [nil]
        let keys = zip(entries, successors).filter { _, successor in
            successor.map { time < $0.adding(overlap) } ?? true
        }
        return keys.map { $0.0.key }
    }

    /// Reads the rows, oldest key first, unless they were read a moment ago.
    private func read(at time: Timestamp, unlessReadWithin pause: Duration) async throws {
        if let read, read.time <= time, time < read.time.adding(pause), now() - read.at < pause { return }
        let rowsByAge: SQL = """
            SELECT \(SigningKeyRow.table(use).list("t")) FROM \(use.table) AS t WHERE \(use.condition)
            ORDER BY signs_from, created_at, key_id
            """
        let (found, began) = try await pool.withConnection { [now] connection in
            // The wait for a connection does not count.
            let began = now()
            return (try await connection.query(rowsByAge, in: [LedgerID]()), began)
        }
        guard now() - began < SigningKeyRotation.refresh else {
            throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1)
        }
        // Another call may have read the rows later, and ended first.
        if let read, began < read.at { return }
        entries = try found.compactMap { found in
            let row = try SigningKeyRow.table(use).read(found)
            guard let key: Key = row.key(rows.ring) else {
                // Another key signs; this one can never be used again.
                logger.error(
                    "a key that signs tokens does not open; run tenure key rotate --tokens --compromised",
                    metadata: ["kid": "\(row.id)"])
                return nil
            }
            guard row.isAuthentic(rows) else { return nil }
            return Entry(key: key, signsFrom: row.signsFrom)
        }
        read = (time, began)
    }
}

extension SigningKeys<TokenSigningKey> {
    /// Returns the public keys that verify access tokens; see ``keys(including:at:)``.
    func published(including keyID: String? = nil, at time: Timestamp) async throws -> TokenKeySet {
        TokenKeySet(keys: try await keys(including: keyID, at: time).map(\.publicKey))
    }
}
