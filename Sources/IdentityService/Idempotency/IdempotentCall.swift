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
    /// The use case gets a ticket; when it writes, it puts the ticket's completion into the same transaction, so that a
    /// lost reply can always be had again, and so that a call whose place was taken meanwhile writes nothing. What was
    /// answered without that is stored afterwards.
    ///
    /// - Parameter opening: What the use case reads first; it gets the rows with the ticket, for no round trip more.
    /// - Throws: What the use case throws; `idempotency.in_progress` while another call has the place of this one.
    func run<Answer: RepeatableAnswer>(
        _ call: Call, scope caller: String, opening: OpeningReads? = nil,
        _ body: (IdempotencyTicket?) async throws -> Answer
    ) async throws -> Answer {
        guard let raw = call.idempotencyKey else { return try await body(nil) }
        var ticket = IdempotencyTicket(
            key: raw, scope: caller, ring: context.ring, lease: call.time.adding(Self.lease).postgres)
        let fingerprint = context.ring.idempotencyFingerprint([call.fingerprintInput])
        if let first = try await begin(&ticket, fingerprint, opening, at: call.time) { return try repeated(first) }
        do {
            let answer = try await body(ticket)
            if !ticket.isStored {
                let stored: JSONValue = .object(["answer": answer.stored])
                let kept = try await context.pool.query(ticket.storing(stored), in: [ticket.ledger])
                // Nobody hears an answer that a repeated call would not hear.
                if kept.isEmpty, try await !isAnswered(ticket, stored) { throw Self.inProgress }
            }
            return answer
        } catch let error as ServiceError where error.isFinal {
            let stored: JSONValue = .object(["error": error.stored])
            let kept = try await context.pool.query(ticket.storing(stored), in: [ticket.ledger])
            if kept.isEmpty, try await !isAnswered(ticket, stored) { throw Self.inProgress }
            throw error
        } catch {
            let released = try? await context.pool.query(ticket.release, in: [ticket.ledger])
            // Another call has this one's place and does what it could not, or its answer is there after all.
            if let released, released.isEmpty { throw Self.inProgress }
            throw error
        }
    }

    /// What a call was refused with before, without a trace of this one; nil when it was not, or not by this caller.
    func refusal(of call: Call, scope caller: String) async throws -> ServiceError? {
        guard let raw = call.idempotencyKey else { return nil }
        let ticket = IdempotencyTicket(
            key: raw, scope: caller, ring: context.ring, lease: call.time.adding(Self.lease).postgres)
        guard let row = try await row(ticket), row.state == "done", let answer = row.answer,
            row.fingerprint == context.ring.idempotencyFingerprint([call.fingerprintInput])
        else { return nil }
        var reader = try ObjectReader(opened(answer, ticket))
        return try reader.optionalValue("error").map { try ServiceError(stored: $0) }
    }

    private static let inProgress = ServiceError(.idempotencyInProgress, retryAfterSeconds: 1)

    /// Takes the place of this key, or returns the stored answer.
    private func begin(
        _ ticket: inout IdempotencyTicket, _ fingerprint: [UInt8], _ opening: OpeningReads?, at time: Timestamp
    ) async throws -> JSONValue? {
        let now = time.postgres
        let end = time.adding(context.settings.idempotencyLifetime)
        let expiry = end.postgres
        // Nothing waits for the disk before there is something to keep: a crash of the database that loses the place loses
        // what this call wrote before it too. A call that goes on after that finds no place for its answer and gives none;
        // what it writes without its ticket meanwhile is at most one more attempt charged. The opening only reads.
        let scope = LedgerScope.source([ticket.ledger] + (opening?.ledgers ?? []))
        let taking: SQL = """
            INSERT INTO tenure.idempotency AS i (ledger_id, key, fingerprint, state, answer, lease_until, expires_at)
            SELECT \(ticket.ledger.uuid), \(ticket.digest), \(fingerprint), 'running', NULL, \(ticket.lease), \(expiry)
            FROM \(scope) WHERE scope.ledgers IS NOT NULL AND scope.wait IS NOT NULL
            ON CONFLICT (ledger_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, state = 'running',
                answer = NULL, lease_until = excluded.lease_until, expires_at = excluded.expires_at
            WHERE i.expires_at <= \(now)
                OR (i.state = 'running' AND i.lease_until <= \(now) AND i.answer IS NULL
                    AND i.fingerprint = excluded.fingerprint)
            RETURNING 1 AS taken
            """
        let statements = [taking] + (opening?.statements ?? [])
        let answers = try await context.pool.withConnection { connection in try await connection.pipeline(statements) }
        guard answers[0].isEmpty else {
            if opening != nil { ticket.opened = Array(answers.dropFirst()) }
            return nil
        }
        guard let row = try await row(ticket) else { throw Self.inProgress }
        guard row.fingerprint == fingerprint else { throw ServiceError(.idempotencyConflict) }
        if row.state == "done", let answer = row.answer { return try opened(answer, ticket) }
        guard row.answer != nil,
            let left = try await context.pool.query(ticket.settling(at: now), in: [ticket.ledger]).first
        else { throw Self.inProgress }
        return try opened(left.decode([UInt8].self), ticket)
    }

    private struct Row {
        var fingerprint: [UInt8]
        var state: String
        var answer: [UInt8]?
    }

    private func row(_ ticket: IdempotencyTicket) async throws -> Row? {
        let rows = try await context.pool.query(
            """
            SELECT fingerprint, state, answer FROM tenure.idempotency
            WHERE ledger_id = \(ticket.ledger.uuid) AND key = \(ticket.digest)
            """, in: [ticket.ledger])
        return try rows.first.map { row in
            let (fingerprint, state, answer) = try row.decode([UInt8].self, String.self, [UInt8]?.self)
            return Row(fingerprint: fingerprint, state: state, answer: answer)
        }
    }

    /// Whether the row has this very answer, which a transaction of the call stored.
    private func isAnswered(_ ticket: IdempotencyTicket, _ answer: JSONValue) async throws -> Bool {
        guard let row = try await row(ticket), row.state == "done", let stored = row.answer else { return false }
        return try opened(stored, ticket) == answer
    }

    private func opened(_ answer: [UInt8], _ ticket: IdempotencyTicket) throws -> JSONValue {
        try CanonicalJSON.parse(context.ring.openAnswer(answer, key: ticket.rawKey, scope: ticket.scope))
    }

    private func repeated<Answer: RepeatableAnswer>(_ first: JSONValue) throws -> Answer {
        var reader = try ObjectReader(first)
        if let error = reader.optionalValue("error") { throw try ServiceError(stored: error) }
        return try Answer(stored: try reader.value("answer"))
    }
}

/// What a use case reads before anything else.
struct OpeningReads: Sendable {
    /// The ledgers whose rows are read.
    var ledgers: [LedgerID]
    var statements: [SQL]
}
