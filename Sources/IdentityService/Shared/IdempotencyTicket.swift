import Canonical
import ErrorCodes
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// The right to answer one idempotent call.
///
/// The row's key is a digest of the raw `Idempotency-Key` and the caller. The stored reply is what the ``WireForm`` made
/// of the outcome. It is encrypted under a key that only a caller with the raw `Idempotency-Key` can derive
/// (credentials.md section 7).
///
/// The right lasts for a lease. A call that takes it over gets a later end of the lease, so the end identifies the
/// owner of the row. A call that lost the right cannot commit its reply, nor anything written with it.
struct IdempotencyTicket<Answer: Sendable>: Sendable {
    /// The time after which another call may take over. Every use case ends far earlier.
    static var lease: Duration { .seconds(60) }
    let ledger: LedgerID
    let digest: [UInt8]
    /// The end of the lease, which is unique among the calls with this key.
    let lease: PostgresTimestamp
    /// Until when the reply is kept.
    let expiresAt: Timestamp
    /// The digest of what a repeated call must repeat.
    let fingerprint: [UInt8]
    /// The rows of the first reads; `nil` if there are none.
    var firstRows: PipelinedRows?
    private let rawKey: [UInt8]
    private let owner: [UInt8]
    private let ring: KeyRing
    private let form: WireForm<Answer>
    /// Whether the reply is stored; the transaction of the use case may have stored it.
    private let stored = Lock(false)

    /// The ticket for a caller's key.
    init(
        key: String, owner: String, ring: KeyRing, lease: PostgresTimestamp, expiresAt: Timestamp, call: Call,
        form: WireForm<Answer>
    ) {
        rawKey = Array(key.utf8)
        self.owner = Array(owner.utf8)
        digest = ring.idempotencyDigest(key: rawKey, scope: self.owner)
        ledger = .directory(digest[0])
        self.ring = ring
        self.lease = lease
        self.expiresAt = expiresAt
        fingerprint = ring.idempotencyFingerprint(call.fingerprintInput)
        self.form = form
    }

    /// Whether nothing is left to store.
    var isStored: Bool { stored.withLock { $0 } }

    /// Notes that a transaction with ``completion(_:)-(Answer)`` was committed.
    func markStored() { stored.withLock { $0 = true } }

    /// The condition that the row belongs to this call and has no final reply.
    private var isOwn: SQL {
        "ledger_id = \(ledger.uuid) AND key = \(digest) AND state = 'running' AND lease_until = \(lease)"
    }

    /// The statement that stores the reply, for the transaction that does the work.
    ///
    /// It fails if another call has taken over the right, which rolls the transaction back.
    func completion(_ outcome: Result<Answer, ServiceError>) -> SQL { required(outcome, state: "done") }

    /// The statement that stores the reply to give if this process ends early, for the first of several transactions.
    /// It fails like ``completion(_:)``.
    func fallback(_ outcome: Result<Answer, ServiceError>) -> SQL { required(outcome, state: "running") }

    /// The same as ``completion(_:)``, combined with a statement that writes and returns one row. If that returns none,
    /// nothing is stored and no row comes back.
    func completion(_ outcome: Result<Answer, ServiceError>, after writing: SQL) -> SQL {
        guard let sealed = try? sealed(outcome) else { return "SELECT tenure.require(false)" }
        return """
            WITH written AS (\(writing)), answered AS (
                UPDATE tenure.idempotency SET state = 'done', answer = \(sealed), mac = \(code("done", sealed))
                WHERE \(isOwn) AND EXISTS (SELECT 1 FROM written) RETURNING 1
            ) SELECT tenure.require((SELECT count(*) FROM answered) = 1) FROM written
            """
    }

    private func required(_ outcome: Result<Answer, ServiceError>, state: String) -> SQL {
        guard let sealed = try? sealed(outcome) else { return "SELECT tenure.require(false)" }
        return """
            WITH answered AS (
                UPDATE tenure.idempotency SET state = \(state), answer = \(sealed), mac = \(code(state, sealed))
                WHERE \(isOwn) RETURNING 1
            ) SELECT tenure.require(count(*) = 1) FROM answered
            """
    }

    /// The statement that stores a reply outside of a transaction of the use case. It returns a row if it stored the
    /// reply.
    func storing(_ outcome: Result<Answer, ServiceError>) throws -> SQL {
        let sealed = try sealed(outcome)
        return """
            UPDATE tenure.idempotency SET state = 'done', answer = \(sealed), mac = \(code("done", sealed))
            WHERE \(isOwn) RETURNING 1
            """
    }

    /// The statement that lets the next call try again. It returns a row if this call still had the right.
    var release: SQL { "DELETE FROM tenure.idempotency WHERE \(isOwn) AND answer IS NULL RETURNING 1" }

    /// The statement that makes the ``fallback(_:)`` final after the lease has run out, and returns it.
    ///
    /// - Parameters:
    ///   - reply: The fallback as it was read.
    ///   - end: Until when it is kept.
    func settling(_ reply: [UInt8], until end: Timestamp, at time: PostgresTimestamp) -> SQL {
        let values = values(fingerprint: fingerprint, "done", reply, until: end)
        return """
            UPDATE tenure.idempotency SET state = 'done', mac = \(ring.rowCode(ProtectedRows.replies, values))
            WHERE ledger_id = \(ledger.uuid) AND key = \(digest) AND state = 'running' AND lease_until <= \(time)
                AND answer = \(reply)
            RETURNING answer
            """
    }

    /// The reply of an outcome.
    func reply(_ outcome: Result<Answer, ServiceError>) -> StoredReply {
        switch outcome {
        case .success(let answer): form.answer(answer)
        case .failure(let refusal): form.refusal(refusal)
        }
    }

    /// Decrypts a stored reply.
    ///
    /// - Throws: `idempotency.conflict` for one of another form.
    func opened(_ reply: [UInt8]) throws -> StoredReply {
        try StoredReply(bytes: ring.openAnswer(reply, key: rawKey, scope: owner))
    }

    /// The code of this call's row with a reply.
    private func code(_ state: String, _ answer: [UInt8]) -> [UInt8] {
        ring.rowCode(ProtectedRows.replies, values(fingerprint: fingerprint, state, answer, until: expiresAt))
    }

    /// The code of the row with which this call takes the right.
    var codeOfTaking: [UInt8] {
        ring.rowCode(ProtectedRows.replies, values(fingerprint: fingerprint, "running", nil, until: expiresAt))
    }

    /// What the code of a row covers. The lease is outside: it may only be early or late, and the reply is sealed.
    func values(fingerprint: [UInt8], _ state: String, _ answer: [UInt8]?, until end: Timestamp) -> [RowValue] {
        [
            .uuid(ledger.uuid), .bytes(digest), .bytes(fingerprint), .text(state), .bytes(answer),
            .time(end.microseconds),
        ]
    }

    private func sealed(_ outcome: Result<Answer, ServiceError>) throws -> [UInt8] {
        let clear = try StoredReply.members.write(reply(outcome)).canonicalBytes()
        return try ring.sealAnswer(clear, key: rawKey, scope: owner)
    }
}

extension ServiceError {
    /// Whether the same call would be refused again. Temporary refusals are not stored.
    var isFinal: Bool { code.repetition == .refused }
}
