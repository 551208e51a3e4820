import Canonical
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// The right to answer one idempotent call.
///
/// The row's key is a digest of the raw `Idempotency-Key` and the caller. The stored reply is encrypted under a key
/// that only a caller with the raw `Idempotency-Key` can derive (credentials.md section 7).
///
/// The right lasts for a lease. A call that takes it over gets a later end of the lease, so the end identifies the
/// owner of the row. A call that lost the right cannot commit its reply, nor anything written with it.
struct IdempotencyTicket: Sendable {
    let ledger: LedgerID
    let digest: [UInt8]
    let rawKey: [UInt8]
    let scope: [UInt8]
    let ring: KeyRing
    /// The end of the lease, which is unique among the calls with this key.
    let lease: PostgresTimestamp
    /// The rows that were read in the transaction that took the right; `nil` if nothing was asked for.
    var opened: [[PostgresRow]]?
    /// Whether the reply is stored; the transaction of the use case may have stored it.
    private let stored = Lock(false)

    /// The ticket for a caller's key.
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

    /// Notes that a transaction with ``completion(_:)`` was committed.
    func markStored() { stored.withLock { $0 = true } }

    /// The condition that the row belongs to this call and has no final reply.
    private var isOwn: SQL {
        "ledger_id = \(ledger.uuid) AND key = \(digest) AND state = 'running' AND lease_until = \(lease)"
    }

    /// The statement that stores the reply, for the transaction that does the work.
    ///
    /// It fails if another call has taken over the right, which rolls the transaction back.
    func completion(_ answer: JSONValue) -> SQL { required(answer, state: "done") }

    /// The statement that stores the reply to give if this process ends early, for the first of several transactions.
    /// It fails like ``completion(_:)``.
    func fallback(_ answer: JSONValue) -> SQL { required(answer, state: "running") }

    /// The same as ``completion(_:)``, combined with a statement that writes and returns one row. If that returns none,
    /// nothing is stored and no row comes back.
    func completion(_ answer: JSONValue, after writing: SQL) -> SQL {
        guard let sealed = try? sealed(answer) else { return "SELECT tenure.require(false)" }
        return """
            WITH written AS (\(writing)), answered AS (
                UPDATE tenure.idempotency SET state = 'done', answer = \(sealed)
                WHERE \(isOwn) AND EXISTS (SELECT FROM written) RETURNING 1
            ) SELECT tenure.require((SELECT count(*) FROM answered) = 1) FROM written
            """
    }

    private func required(_ answer: JSONValue, state: String) -> SQL {
        guard let sealed = try? sealed(answer) else { return "SELECT tenure.require(false)" }
        return """
            WITH answered AS (
                UPDATE tenure.idempotency SET state = \(state), answer = \(sealed) WHERE \(isOwn) RETURNING 1
            ) SELECT tenure.require(count(*) = 1) FROM answered
            """
    }

    /// The statement that stores a reply outside of a transaction of the use case. It returns a row if it stored the
    /// reply.
    func storing(_ answer: JSONValue) throws -> SQL {
        "UPDATE tenure.idempotency SET state = 'done', answer = \(try sealed(answer)) WHERE \(isOwn) RETURNING 1"
    }

    /// The statement that lets the next call try again. It returns a row if this call still had the right.
    var release: SQL { "DELETE FROM tenure.idempotency WHERE \(isOwn) AND answer IS NULL RETURNING 1" }

    /// The statement that makes the ``fallback(_:)`` final after the lease has run out, and returns it.
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

/// A reply that can be stored and replayed.
protocol RepeatableAnswer: Sendable {
    /// The stored form.
    var stored: JSONValue { get }
    /// Decodes the value that ``stored`` encodes.
    init(stored: JSONValue) throws
}

extension FlowStarted: RepeatableAnswer {
    var stored: JSONValue {
        .object([
            "flow": .string(flow), "challenge": .string(Base64URL.encode(challenge)),
            "salt": .string(Base64URL.encode(subjectSalt)), "expires": .string(expiresAt.description),
        ])
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        self.init(
            flow: try reader.string("flow"), challenge: try reader.bytes("challenge"),
            subjectSalt: try reader.bytes("salt"), expiresAt: try reader.timestamp("expires"))
    }
}

extension Decision: RepeatableAnswer {
    var stored: JSONValue {
        switch self {
        case .signatureRequired(let statement):
            return .object(["statement": .string(Base64URL.encode(statement))])
        case .done(let employee, let position):
            var members: [String: JSONValue] = [:]
            if let employee { members["employee"] = employee.stored }
            if let position { members["position"] = .integer(position) }
            return .object(members)
        }
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        if let statement = try reader.optionalBytes("statement") {
            self = .signatureRequired(statement: statement)
        } else {
            self = .done(
                try reader.optionalValue("employee").map { try EmployeeSummary(stored: $0) },
                position: try reader.optionalInteger("position"))
        }
    }
}

/// The reply of a call without content.
struct EmptyAnswer: RepeatableAnswer {
    var stored: JSONValue { .object([:]) }
    init() {}
    init(stored: JSONValue) throws {}
}

extension ServiceError {
    /// Whether the same call would be refused again. Temporary refusals are not stored.
    var isFinal: Bool {
        code.status < 500 && code.status != 429 && code != .idempotencyInProgress && code != .requestStale
            && code != .recoveryNotAvailable
    }

    var stored: JSONValue {
        var members: [String: JSONValue] = ["code": .string(code.rawValue)]
        if let challenge { members["challenge"] = .string(Base64URL.encode(challenge)) }
        members["members"] = .array(
            self.members.map { .object(["pointer": .string($0.pointer), "detail": .string($0.detail)]) })
        if !notices.isEmpty { members["notices"] = .array(notices.map(\.stored)) }
        return .object(members)
    }

    init(stored: JSONValue) throws {
        var reader = try ObjectReader(stored)
        self.init(Code(rawValue: try reader.string("code")) ?? .requestInvalid)
        challenge = try reader.optionalBytes("challenge")
        members = try reader.objects("members").map { object in
            var object = object
            return Member(pointer: try object.string("pointer"), detail: try object.string("detail"))
        }
        notices = try reader.optionalArray("notices")?.map { try Notice(stored: $0) } ?? []
    }
}
