import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger
import Postgres
import Projections

/// Charges an attempt, durably and before the evaluation it pays for.
///
/// One transaction locks the head of the user's directory, takes the flow's step, charges the budget and appends
/// `AttemptCharged`; so two requests at one step are not both served, and a crash afterwards costs the attempt, never
/// gives one for free. A decoy does the same, and takes the event back within the transaction.
struct ChargeAttempt: Sendable {
    let context: ServiceContext

    /// Charges, and puts a fresh challenge into the row.
    ///
    /// - Parameter attempt: What the charge pays for in blind mode; `nil` in direct mode, where it is used up at once.
    /// - Throws: `credentials.locked` with the wait, or `flow.wrong_step` when another request took the step.
    func run(
        _ row: FlowStore.Row, budget: AttemptBudget, attempt: BlindAttempt?, app: AppCaller, call: Call
    ) async throws -> FlowStore.Row {
        var charged = row
        charged.state.attempt = attempt
        charged.state.challenge = try context.challenge(for: row.state, at: call.time)
        do {
            return try await charge(charged, budget, app, call)
        } catch is HeadMissing {
            // The service makes all at its start; and in a transaction of its own, because who makes a head holds no lock.
            _ = try await context.pool.query(Appender.makingHeads([budget.ledger]), in: [budget.ledger])
            return try await charge(charged, budget, app, call)
        }
    }

    private struct HeadMissing: Error {}

    private func charge(
        _ row: FlowStore.Row, _ budget: AttemptBudget, _ app: AppCaller, _ call: Call
    ) async throws -> FlowStore.Row {
        let store = FlowStore(context: context)
        let ledgers = [budget.ledger, FlowStore.ledger(of: row.state.id)], id = UUID.random()
        let opening = [
            Appender.lockingHead(budget.ledger), budget.charging(context.settings.budgets, at: call.time),
        ]
        // Nothing of a refused attempt may stay, so the refusal leaves the transaction as an error.
        return try await context.pool.withTransaction(in: ledgers, opening: opening) { connection, opened in
            guard let head = opened.first?.first else { throw HeadMissing() }
            let result = try AttemptBudget.Charged(opened.last ?? [])
            guard result.isCharged else {
                throw ServiceError(.credentialsLocked, retryAfterSeconds: Int(result.retryAfterSeconds))
            }
            var next = row
            next.state.charges.append(
                FlowState.Charge(id: id, version: result.isExhausted ? 2 : 1, wasKnownDevice: budget.device == .known))
            var append = try events(id, row.state, budget, result, app, call)
            let latest = try head.decode(PostgresTimestamp.self).microsecondsSinceUnixEpoch
            append.time = max(append.time, Timestamp(microseconds: latest))
            let statement = try AppendStatement(append)
            // There is nobody whose log could have the event, but the same work is done for it.
            let ending: SQL = row.state.isDecoy ? "ROLLBACK TO SAVEPOINT charged" : "RELEASE SAVEPOINT charged"
            let replacement = try store.replacement(next)
            // Sent with the commit, so that nobody waits for the head's lock while an answer travels.
            do {
                _ = try await connection.commit(after: [
                    replacement.required, "SAVEPOINT charged", statement.sql, ending,
                ])
            } catch let error as PostgresError {
                throw Self.refusal(error)
            }
            return replacement.row
        }
    }

    /// What a statement's failure means: another request took the step, or the append's conditions did not hold.
    private static func refusal(_ error: PostgresError) -> any Error {
        guard error.sqlState == .divisionByZero else { return error }
        return error.statementIndex == 0
            ? ServiceError(.flowWrongStep) : ServiceError(.serviceUnavailable, retryAfterSeconds: 1)
    }

    private func events(
        _ charge: UUID, _ state: FlowState, _ budget: AttemptBudget, _ result: AttemptBudget.Charged, _ app: AppCaller,
        _ call: Call
    ) throws -> Append {
        let stream = StreamID.attempt(charge, of: UserID(state.userId))
        let rules = context.settings.budgets
        let limit = budget.device == .known ? rules.knownLimit : rules.unknownLimit
        let key = try EmployeePublicKey(kept: state.employeePublicKey)
        guard let fingerprint = Fingerprint(hex: key.fingerprint) else { throw ServiceError(.employeeKeyInvalid) }
        let metadata = EventMetadata(app: app.appId, requestId: call.requestId)
        let credential = CredentialID(state.credentialId)
        var payloads: [any EventPayload] = [
            AttemptCharged(
                credentialID: credential, flow: FlowID(state.id), device: budget.device, fingerprint: fingerprint,
                spent: Int(result.spent), limit: limit)
        ]
        if result.isExhausted {
            let wait = result.retryAfterSeconds
            payloads.append(
                CredentialsLocked(
                    credentialID: credential, device: budget.device,
                    until: wait > 0 ? call.time.adding(.seconds(Int(wait))) : nil))
        }
        return Append(
            events: try payloads.map {
                try EventCodec.encode($0, id: UUID.random(), stream: stream, keys: [:], metadata: metadata)
            }, expectations: [stream: 0], time: call.time)
    }
}
