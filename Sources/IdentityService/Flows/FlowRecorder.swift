import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import Projections

/// Puts together the append that ends a flow: its events, and the rows that change in the same transaction.
struct FlowRecorder: Sendable {
    let context: ServiceContext
    let row: FlowStore.Row
    let app: AppCaller
    let call: Call
    let ticket: IdempotencyTicket?
    /// Whether a second append may still change what is answered: one call has one outcome.
    var isProvisional = false
    /// What is answered instead of an outcome.
    var refusal: ServiceError?
    var events: [NewEvent] = []
    var expectations: [StreamID: Int] = [:]
    var claims: [Claim] = []
    var statements: [SQL] = []
    /// Ledgers besides those of the flow and the user whose rows ``statements`` touch.
    var ledgers: Set<LedgerID> = []

    init(context: ServiceContext, row: FlowStore.Row, app: AppCaller, call: Call, ticket: IdempotencyTicket?) {
        self.context = context
        self.row = row
        self.app = app
        self.call = call
        self.ticket = ticket
    }

    var tenant: TenantID { TenantID(row.state.tenantId) }

    /// Adds an event; the source address is sealed under the key of whom the event is about.
    mutating func add(
        _ payload: any EventPayload, to stream: StreamID, version: Int, keys: [UUID: PersonKey], about owner: UUID?,
        by employee: EmployeeID
    ) throws {
        let source = owner.flatMap { owner in call.sourceAddress.map { Personal(owner: owner, text: $0) } }
        let metadata = EventMetadata(
            actor: employee.uuid, app: app.appId, requestId: call.requestId, source: source)
        events.append(try EventCodec.encode(payload, id: UUID.random(), stream: stream, keys: keys, metadata: metadata))
        if let presented = payload as? EmployeeKeyPresented {
            statements.append(PresentedKey(presented.key.bytes, of: presented.employeeID, in: tenant).insertion)
        }
        // The first event of a stream names the version it was decided on; the later ones follow from it.
        if expectations[stream] == nil { expectations[stream] = version }
    }

    /// Gives the flow's own charges back and says so in the log.
    mutating func refund(by employee: EmployeeID) throws {
        let state = row.state
        for isKnown in [false, true] {
            let count = state.charges.count { $0.wasKnownDevice == isKnown }
            guard count > 0 else { continue }
            statements.append(AttemptBudget(state, isKnownDevice: isKnown, ring: context.ring).refund(count))
        }
        for charge in state.charges {
            let cleared = AttemptsCleared(
                credentialID: CredentialID(state.credentialId), flow: FlowID(state.id), charge: ChargeID(charge.id))
            try add(
                cleared, to: .attempt(charge.id, of: UserID(state.userId)), version: charge.version, keys: [:],
                about: nil, by: employee)
        }
    }

    /// Appends, and with it ends the flow, and stores the answer that a repeated call gets.
    func append(_ outcome: @escaping @Sendable (Appended) -> FlowOutcome) async throws -> FlowOutcome {
        let ending = try FlowStore(context: context).ending(row.state)
        var ledgers = ledgers.union([FlowStore.ledger(of: row.state.id), .directory(of: UserID(row.state.userId))])
        if let ticket { ledgers.insert(ticket.ledger) }
        let append = Append(
            events: events, expectations: expectations, claims: claims, time: call.time, effectLedgers: ledgers,
            effects: { [statements, ticket, isProvisional, refusal] appended in
                guard let ticket else { return statements + [ending] }
                let answer: JSONValue =
                    refusal.map { .object(["error": $0.stored]) } ?? .object(["answer": outcome(appended).stored])
                return statements + [ending, isProvisional ? ticket.fallback(answer) : ticket.completion(answer)]
            })
        do {
            let appended = try await context.appender.append(append)
            if !isProvisional { ticket?.markStored() }
            return outcome(appended)
        } catch {
            guard error.conflict.map(isOwn) == true else { throw error }
            throw ServiceError(.flowAlreadyUsed)
        }
    }

    /// Whether a conflict is about what this flow alone writes: then it had its outcome, and deciding again cannot help.
    private func isOwn(_ conflict: LedgerError.VersionConflict) -> Bool {
        let state = row.state
        if conflict.stream == .flow(state.id, in: tenant) { return true }
        if state.charges.contains(where: { conflict.stream.kind == "attempt" && conflict.stream.id == $0.id }) {
            return true
        }
        let made = [StreamID.employee(EmployeeID(state.employeeId), in: tenant), .user(UserID(state.userId))]
        return conflict.expected == 0 && made.contains(conflict.stream)
    }
}
