import Canonical
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// The right to answer one idempotent call.
///
/// The row is keyed by a digest of the raw key and the caller; the answer is sealed under a key that only who repeats
/// the raw `Idempotency-Key` can derive (credentials.md section 7).
///
/// The right lasts for a lease. Another call that takes its place gets a later end of the lease, so that the end tells
/// whose the row is: what a call writes with its answer is not committed once its place was taken.
struct IdempotencyTicket: Sendable {
    let ledger: LedgerID
    let digest: [UInt8]
    let rawKey: [UInt8]
    let scope: [UInt8]
    let ring: KeyRing
    /// The end of the lease, which no other call with this key has or will have.
    let lease: PostgresTimestamp
    /// What was read in the transaction that took the key's place; nil when nothing was asked for.
    var opened: [[PostgresRow]]?
    /// Whether the answer is stored: the transaction that did the work may have done it.
    private let stored = Lock(false)

    /// The ticket of a caller's key.
    init(key: String, scope: String, ring: KeyRing, lease: PostgresTimestamp) {
        rawKey = Array(key.utf8)
        self.scope = Array(scope.utf8)
        digest = ring.idempotencyDigest(key: rawKey, scope: self.scope)
        ledger = .directory(digest[0])
        self.ring = ring
        self.lease = lease
    }

    /// Whether nothing is left to store.
    var isStored: Bool { stored.withLock { $0 } }

    /// Says that a transaction with ``completion(_:)`` was committed.
    func markStored() { stored.withLock { $0 = true } }

    /// The condition under which the row is this call's, and has no answer yet.
    private var isOwn: SQL {
        "ledger_id = \(ledger.uuid) AND key = \(digest) AND state = 'running' AND lease_until = \(lease)"
    }

    /// The statement that stores the answer, for the transaction that writes what is answered.
    ///
    /// It divides by zero when another call took this one's place, which rolls that transaction back.
    func completion(_ answer: JSONValue) -> SQL { required(answer, state: "done") }

    /// The statement that stores what is answered if this process ends before it has stored its answer: for the first
    /// of several transactions. It fails as ``completion(_:)`` does.
    func fallback(_ answer: JSONValue) -> SQL { required(answer, state: "running") }

    /// The same in one statement with another that writes and returns one row: where it returns none nothing is stored,
    /// and no row comes back.
    func completion(_ answer: JSONValue, after writing: SQL) -> SQL {
        guard let sealed = try? sealed(answer) else { return "SELECT 1 / 0" }
        return """
            WITH written AS (\(writing)), answered AS (
                UPDATE tenure.idempotency SET state = 'done', answer = \(sealed)
                WHERE \(isOwn) AND EXISTS (SELECT FROM written) RETURNING 1
            ) SELECT 1 / (SELECT count(*) FROM answered)::integer FROM written
            """
    }

    private func required(_ answer: JSONValue, state: String) -> SQL {
        guard let sealed = try? sealed(answer) else { return "SELECT 1 / 0" }
        return """
            WITH answered AS (
                UPDATE tenure.idempotency SET state = \(state), answer = \(sealed) WHERE \(isOwn) RETURNING 1
            ) SELECT 1 / count(*)::integer FROM answered
            """
    }

    /// The statement that stores an answer with which nothing was written, or that the transaction stored already; it
    /// returns a row where it did store it.
    func storing(_ answer: JSONValue) throws -> SQL {
        "UPDATE tenure.idempotency SET state = 'done', answer = \(try sealed(answer)) WHERE \(isOwn) RETURNING 1"
    }

    /// The statement that lets the next call try again; it returns a row where this call still had its place.
    var release: SQL { "DELETE FROM tenure.idempotency WHERE \(isOwn) AND answer IS NULL RETURNING 1" }

    /// The statement that makes the ``fallback(_:)`` of a call whose lease has run out its answer, and returns it.
    func settling(at time: PostgresTimestamp) -> SQL {
        """
        UPDATE tenure.idempotency SET state = 'done'
        WHERE ledger_id = \(ledger.uuid) AND key = \(digest) AND state = 'running' AND lease_until <= \(time)
            AND answer IS NOT NULL
        RETURNING answer
        """
    }

    private func sealed(_ answer: JSONValue) throws -> [UInt8] {
        try ring.sealAnswer(answer.canonicalBytes(), key: rawKey, scope: scope)
    }
}

/// An answer that can be stored and given again.
protocol RepeatableAnswer: Sendable {
    /// What is stored.
    var stored: JSONValue { get }
    /// Reads what ``stored`` wrote.
    init(stored: JSONValue) throws
}
