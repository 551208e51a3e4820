import Canonical
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// The right to answer one idempotent call.
///
/// The row is keyed by a digest of the raw key and the caller; the answer is sealed under a key that only who repeats
/// the raw `Idempotency-Key` can derive (credentials.md section 7).
struct IdempotencyTicket: Sendable {
    let ledger: LedgerID
    let digest: [UInt8]
    let rawKey: [UInt8]
    let scope: [UInt8]
    let ring: KeyRing
    /// What was read in the transaction that took the key's place; nil when nothing was asked for.
    var opened: [[PostgresRow]]?
    /// Whether the answer is stored: the transaction that did the work may have done it.
    private let stored = Lock(false)

    init(ledger: LedgerID, digest: [UInt8], rawKey: [UInt8], scope: [UInt8], ring: KeyRing) {
        self.ledger = ledger
        self.digest = digest
        self.rawKey = rawKey
        self.scope = scope
        self.ring = ring
    }

    /// Whether nothing is left to store.
    var isStored: Bool { stored.withLock { $0 } }

    /// Says that a transaction with ``completion(_:)`` was committed.
    func markStored() { stored.withLock { $0 = true } }

    /// The statement that stores the answer, for the transaction that appends.
    func completion(_ answer: JSONValue) -> SQL? {
        guard let sealed = try? ring.sealAnswer(answer.canonicalBytes(), key: rawKey, scope: scope) else { return nil }
        return """
            UPDATE tenure.idempotency SET state = 'done', answer = \(sealed)
            WHERE ledger_id = \(ledger.uuid) AND key = \(digest) AND state = 'running'
            """
    }

    /// The statement that lets the next call try again.
    var release: SQL {
        """
        DELETE FROM tenure.idempotency
        WHERE ledger_id = \(ledger.uuid) AND key = \(digest) AND state = 'running'
        """
    }
}

/// An answer that can be stored and given again.
protocol RepeatableAnswer: Sendable {
    /// What is stored.
    var stored: JSONValue { get }
    /// Reads what ``stored`` wrote.
    init(stored: JSONValue) throws
}
