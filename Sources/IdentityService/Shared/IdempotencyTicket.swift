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

    /// The condition that the row, called `t`, belongs to this call and has no final reply.
    private var isOwn: SQL { "t.state = 'running' AND t.lease_until = \(lease)" }

    /// The row of this call.
    private func row(_ state: String, _ answer: [UInt8]?) -> ReplyRow {
        ReplyRow(
            ledger: ledger.uuid, key: digest, fingerprint: fingerprint, state: state, answer: answer, lease: lease,
            expiresAt: expiresAt)
    }

    /// The statement that takes the right for the key, unless another call has it or its reply is kept. It returns a row
    /// if it took the right.
    func taking(at time: PostgresTimestamp) -> SQL {
        """
        \(row("running", nil).replacement(ring)) WHERE t.expires_at <= \(time)
            OR (t.state = 'running' AND t.lease_until <= \(time) AND t.answer IS NULL
                AND t.fingerprint = excluded.fingerprint)
        RETURNING 1 AS taken
        """
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
                \(row("done", sealed).update(where: "\(isOwn) AND EXISTS (SELECT 1 FROM written)", ring)) RETURNING 1
            ) SELECT tenure.require((SELECT count(*) FROM answered) = 1) FROM written
            """
    }

    private func required(_ outcome: Result<Answer, ServiceError>, state: String) -> SQL {
        guard let sealed = try? sealed(outcome) else { return "SELECT tenure.require(false)" }
        return """
            WITH answered AS (\(row(state, sealed).update(where: isOwn, ring)) RETURNING 1)
            SELECT tenure.require(count(*) = 1) FROM answered
            """
    }

    /// The statement that stores a reply outside of a transaction of the use case. It returns a row if it stored the
    /// reply.
    func storing(_ outcome: Result<Answer, ServiceError>) throws -> SQL {
        "\(row("done", try sealed(outcome)).update(where: isOwn, ring)) RETURNING 1"
    }

    /// The statement that lets the next call try again. It returns a row if this call still had the right.
    var release: SQL {
        """
        DELETE FROM tenure.idempotency AS t
        WHERE \(ReplyRow.table.isRow(row("running", nil))) AND \(isOwn) AND t.answer IS NULL RETURNING 1
        """
    }

    /// The statement that makes the ``fallback(_:)`` final after the lease has run out, and returns it.
    ///
    /// - Parameters:
    ///   - reply: The fallback as it was read.
    ///   - end: Until when it is kept.
    func settling(_ reply: [UInt8], until end: Timestamp, at time: PostgresTimestamp) -> SQL {
        var row = row("done", reply)
        row.expiresAt = end
        let isLeft: SQL = "t.state = 'running' AND t.lease_until <= \(time) AND t.answer = \(reply)"
        return "\(row.update(where: isLeft, ring)) RETURNING t.answer"
    }

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

    private func sealed(_ outcome: Result<Answer, ServiceError>) throws -> [UInt8] {
        let clear = try StoredReply.members.write(reply(outcome)).canonicalBytes()
        return try ring.sealAnswer(clear, key: rawKey, scope: owner)
    }
}

/// The row of a call and its reply. The lease is outside the code: it may only be early or late, and the reply is sealed.
struct ReplyRow: CodedRow {
    var ledger: UUID
    var key: [UInt8]
    /// The digest of what a repeated call must repeat.
    var fingerprint: [UInt8]
    var state: String
    /// The reply, sealed.
    var answer: [UInt8]?
    var lease: PostgresTimestamp
    var expiresAt: Timestamp
    var code: [UInt8]?

    /// Whether the reply is final.
    var isDone: Bool { state == "done" }

    static let table = RowTable<ReplyRow>(
        "idempotency", ReplyRow.init,
        Column(key: "ledger_id", \.ledger), Column(key: "key", \.key), Column("fingerprint", \.fingerprint),
        Column("state", \.state), Column("answer", \.answer), Column(outside: "lease_until", \.lease),
        Column("expires_at", \.expiresAt), .code(\.code))
}

extension ServiceError {
    /// Whether the same call would be refused again. Temporary refusals are not stored.
    var isFinal: Bool { code.repetition == .refused }
}
