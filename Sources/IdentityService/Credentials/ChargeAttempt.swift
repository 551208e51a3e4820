import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Charges an attempt, durably and before the evaluation it pays for.
///
/// One transaction locks the head of the user's directory, advances the flow's row, charges the budget and appends
/// `AttemptCharged`. Of two requests at one step only one is served, and a crash after the charge costs the attempt
/// instead of giving it away.
///
/// A decoy does the same work and rolls the event back within the transaction. If the charge takes a known device to
/// its limit of failures in a row, it also ends the sessions of that device, each with `SessionClosed`.
struct ChargeAttempt: Sendable {
    let context: ServiceContext

    /// Charges the attempt, and puts a fresh challenge into the flow's row.
    ///
    /// - Parameter attempt: The blind attempt that the charge pays for; `nil` in direct mode, which uses the charge at
    ///   once.
    /// - Throws: `credentials.locked` with the seconds to wait, or `flow.wrong_step` if another request took the step.
    func run(
        _ row: FlowStore.Row, budget: AttemptBudget, attempt: BlindAttempt?, app: AppCaller, call: Call
    ) async throws -> FlowStore.Row {
        var charged = row
        charged.state.attempt = attempt
        charged.state.challenge = try context.challenge(for: row.state, at: call.time)
        do {
            return try await charge(charged, budget, app, call)
        } catch is HeadMissing {
            // The service makes all heads when it starts. This one gets a transaction of its own, because making a head
            // must hold no lock.
            _ = try await context.pool.query(Appender.makingHeads([budget.ledger]), in: [budget.ledger])
            return try await charge(charged, budget, app, call)
        }
    }

    private struct HeadMissing: Error {}

    private func charge(
        _ row: FlowStore.Row, _ budget: AttemptBudget, _ app: AppCaller, _ call: Call
    ) async throws -> FlowStore.Row {
        let store = FlowStore(context: context)
        let tenant = TenantID(row.state.tenantId), id = UUID.random()
        var ledgers = [budget.ledger, FlowStore.ledger(of: row.state.id)]
        if budget.device == .known { ledgers.append(LedgerID(tenant.uuid)) }
        // The call may have waited for its turn.
        var late = call
        if let earliest = await context.clock?.earliest() { late.time = max(call.time, earliest) }
        let recorded = late
        let opening = [
            Appender.lockingHead(budget.ledger), budget.charging(context.settings.budgets, at: call.time),
        ]
        // A refused attempt must leave no trace, so the refusal leaves the transaction as an error, which rolls it
        // back.
        return try await context.pool.withTransaction(in: ledgers, opening: opening) { connection, opened in
            guard let locked = opened.first?.first else { throw HeadMissing() }
            let result = try AttemptBudget.Charged(opened.last ?? [])
            guard result.isCharged else {
                throw ServiceError(.credentialsLocked, retryAfterSeconds: Int(result.retryAfterSeconds))
            }
            var next = row
            next.state.charges.append(
                FlowState.Charge(id: id, version: result.isExhausted ? 2 : 1, wasKnownDevice: budget.device == .known))
            var append = try events(id, row.state, budget, result, app, call)
            let head = try LockedHead(locked), tolerance = context.settings.clockTolerance
            append.time = max(recorded.time, head.time)
            if let tolerance, head.time > recorded.time.adding(tolerance) {
                let disowned = context.reader.codes.disowned
                guard await disowned.accepts(head.time, in: budget.ledger) else {
                    disowned.reportFalseHead(of: budget.ledger)
                    throw ServiceError(.serviceClock, retryAfterSeconds: 10)
                }
            }
            let statement = try AppendStatement(
                append, after: head, codes: context.reader.codes, tolerance: tolerance)
            // A decoy has no log for the event, so the savepoint takes it back after the same work.
            let ending: SQL = row.state.isDecoy ? "ROLLBACK TO SAVEPOINT charged" : "RELEASE SAVEPOINT charged"
            let replacement = try store.replacement(next)
            if budget.hasFailedTooOften(result) {
                try await EndSession.closeSessions(
                    of: EmployeeID(row.state.employeeId), in: tenant, openedBy: try row.state.fingerprint,
                    reason: .deviceFailed, call: recorded, context, on: &connection)
            }
            // Sent with the commit, so that the head's lock is not held for another round trip.
            do {
                let statements = [replacement.required, "SAVEPOINT charged", statement.sql, ending]
                _ = try await connection.commit(after: statements)
            } catch let error as PostgresError {
                guard !error.meetsFalseHead else {
                    context.reader.codes.disowned.reportFalseHead(of: budget.ledger)
                    throw ServiceError(.serviceUnavailable, retryAfterSeconds: 10)
                }
                throw Self.refusal(error)
            }
            return replacement.row
        }
    }

    /// Maps a failed statement to a refusal: another request took the step, or the append's conditions did not hold.
    private static func refusal(_ error: PostgresError) -> any Error {
        if error.sqlState == .clockExceeded { return ServiceError(.serviceClock, retryAfterSeconds: 5) }
        guard error.sqlState == .requirementFailed else { return error }
        return error.statementIndex == 0
            ? ServiceError(.flowWrongStep) : ServiceError(.serviceUnavailable, retryAfterSeconds: 1)
    }

    private func events(
        _ charge: UUID, _ state: FlowState, _ budget: AttemptBudget, _ result: AttemptBudget.Charged, _ app: AppCaller,
        _ call: Call
    ) throws -> Append {
        let stream = StreamID.attempt(charge, of: UserID(state.userId))
        let recorded = try budget.recorded(result, context.settings.budgets)
        let key = try EmployeePublicKey(kept: state.employeePublicKey)
        guard let fingerprint = KeyFingerprint(hex: key.fingerprint) else { throw ServiceError(.employeeKeyInvalid) }
        let metadata = EventMetadata(app: app.appId, requestId: call.requestId)
        let credential = CredentialID(state.credentialId)
        var payloads: [any EventPayload] = [
            AttemptCharged(
                credentialID: credential, flow: FlowID(state.id), device: budget.device, fingerprint: fingerprint,
                spent: recorded.spent, limit: recorded.limit, shares: recorded.shares)
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
