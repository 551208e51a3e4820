import Canonical
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// Runs a use case at most once per `Idempotency-Key` and caller.
struct IdempotentCall: Sendable {
    /// How long a call may be running before another may take its place; every use case ends far earlier.
    static let lease: Duration = .seconds(60)
    let context: ServiceContext

    /// Answers the call, or repeats the first answer.
    ///
    /// The use case gets a ticket; when it writes, it puts the ticket's completion into the same transaction, so that
    /// a lost reply can always be had again. What was answered without that is stored afterwards.
    ///
    /// - Parameter opening: What the use case reads first; it gets the rows with the ticket, for no round trip more.
    func run<Answer: RepeatableAnswer>(
        _ call: Call, scope caller: String, opening: OpeningReads? = nil,
        _ body: (IdempotencyTicket?) async throws -> Answer
    ) async throws -> Answer {
        guard let raw = call.idempotencyKey else { return try await body(nil) }
        let scope = Array(caller.utf8)
        let digest = context.ring.idempotencyDigest(key: Array(raw.utf8), scope: scope)
        var ticket = IdempotencyTicket(
            ledger: .directory(digest[0]), digest: digest, rawKey: Array(raw.utf8), scope: scope, ring: context.ring)
        let fingerprint = context.ring.idempotencyFingerprint([call.fingerprintInput])
        if let first = try await begin(&ticket, fingerprint, opening, at: call.time) { return try repeated(first) }
        do {
            let answer = try await body(ticket)
            if !ticket.isStored { try await finish(ticket, .object(["answer": answer.stored])) }
            return answer
        } catch let error as ServiceError where error.isFinal {
            try await finish(ticket, .object(["error": error.stored]))
            throw error
        } catch {
            _ = try? await context.pool.query(ticket.release, in: [ticket.ledger])
            throw error
        }
    }

    /// Takes the place of this key, or returns the stored answer.
    private func begin(
        _ ticket: inout IdempotencyTicket, _ fingerprint: [UInt8], _ opening: OpeningReads?, at time: Timestamp
    ) async throws -> JSONValue? {
        let now = time.postgres
        let lease = time.adding(Self.lease).postgres
        let end = time.adding(context.settings.idempotencyLifetime)
        let expiry = end.postgres
        let taking: SQL = """
            INSERT INTO tenure.idempotency AS i (ledger_id, key, fingerprint, state, answer, lease_until, expires_at)
            VALUES (\(ticket.ledger.uuid), \(ticket.digest), \(fingerprint), 'running', NULL, \(lease), \(expiry))
            ON CONFLICT (ledger_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, state = 'running',
                answer = NULL, lease_until = excluded.lease_until, expires_at = excluded.expires_at
            WHERE i.expires_at <= \(now)
                OR (i.state = 'running' AND i.lease_until <= \(now) AND i.fingerprint = excluded.fingerprint)
            RETURNING 1 AS taken
            """
        let answers = try await context.pool.pipeline(
            [taking] + (opening?.statements ?? []), in: [ticket.ledger] + (opening?.ledgers ?? []))
        guard answers[0].isEmpty else {
            if opening != nil { ticket.opened = Array(answers.dropFirst()) }
            return nil
        }
        let rows = try await context.pool.query(
            """
            SELECT fingerprint, state, answer FROM tenure.idempotency
            WHERE ledger_id = \(ticket.ledger.uuid) AND key = \(ticket.digest)
            """, in: [ticket.ledger])
        guard let row = rows.first else { throw ServiceError(.idempotencyInProgress, retryAfterSeconds: 1) }
        let (stored, state, answer) = try row.decode([UInt8].self, String.self, [UInt8]?.self)
        guard stored == fingerprint else { throw ServiceError(.idempotencyConflict) }
        guard state == "done", let answer else { throw ServiceError(.idempotencyInProgress, retryAfterSeconds: 1) }
        return try CanonicalJSON.parse(
            context.ring.openAnswer(answer, key: ticket.rawKey, scope: ticket.scope))
    }

    private func repeated<Answer: RepeatableAnswer>(_ first: JSONValue) throws -> Answer {
        var reader = try ObjectReader(first)
        if let error = reader.optionalValue("error") { throw try ServiceError(stored: error) }
        return try Answer(stored: try reader.value("answer"))
    }

    private func finish(_ ticket: IdempotencyTicket, _ answer: JSONValue) async throws {
        guard let statement = ticket.completion(answer) else { return }
        _ = try await context.pool.query(statement, in: [ticket.ledger])
    }
}

/// What a use case reads before anything else.
struct OpeningReads: Sendable {
    /// The ledgers whose rows are read.
    var ledgers: [LedgerID]
    var statements: [SQL]
}

extension ServiceError {
    /// Whether the same call would be refused again; what passes by itself is not kept.
    var isFinal: Bool {
        code.status < 500 && code.status != 429 && code != .idempotencyInProgress && code != .requestStale
    }

    var stored: JSONValue {
        var members: [String: JSONValue] = ["code": .string(code.rawValue)]
        if let challenge { members["challenge"] = .string(Base64URL.encode(challenge)) }
        members["members"] = .array(
            self.members.map { .object(["pointer": .string($0.pointer), "detail": .string($0.detail)]) })
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
    }
}
