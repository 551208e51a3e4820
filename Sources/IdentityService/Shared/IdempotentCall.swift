import Canonical
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// Runs a use case at most once per `Idempotency-Key` and caller.
struct IdempotentCall: Sendable {
    /// The time after which another call may take over. Every use case ends far earlier.
    static let lease: Duration = .seconds(60)
    let context: ServiceContext

    /// Runs the use case, or replays the first reply.
    ///
    /// The use case gets a ticket. If it writes, it puts the ticket's completion into the same transaction. A lost
    /// reply can then always be replayed, and a call whose right was taken over writes nothing. Other replies are
    /// stored afterwards.
    ///
    /// - Parameter opening: The first reads of the use case, sent in the same round trip. The ticket carries their
    ///   rows.
    /// - Throws: The errors of the use case; `idempotency.in_progress` while another call has the right;
    ///   `idempotency.conflict` for another request with the same key.
    func run<Answer: RepeatableAnswer>(
        _ call: Call, scope caller: String, opening: PipelinedReads? = nil,
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
                // A caller gets no reply that a repeated call would not get.
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
            // Another call has taken over, or the reply was stored after all.
            if let released, released.isEmpty { throw Self.inProgress }
            throw error
        }
    }

    /// Returns the stored refusal of an earlier identical call by this caller, without leaving a trace; `nil` if there
    /// is none.
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

    /// Takes the right for this key, or returns the stored reply.
    private func begin(
        _ ticket: inout IdempotencyTicket, _ fingerprint: [UInt8], _ opening: PipelinedReads?, at time: Timestamp
    ) async throws -> JSONValue? {
        let now = time.postgres
        let end = time.adding(context.settings.idempotencyLifetime)
        let expiry = end.postgres
        // This need not wait for the disk. A database crash that loses the row also loses what this call wrote before.
        // A call that goes on after such a crash cannot store its reply, and gives none. Without its ticket it writes
        // at most one further charge. `opening` only reads.
        let scope = LedgerScope.source((opening?.ledgers ?? []).union([ticket.ledger]))
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

    /// Whether the row contains this very reply, which a transaction of the call stored.
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
