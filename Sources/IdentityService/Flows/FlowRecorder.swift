import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import TenureAPI

/// Builds the append that ends a flow: its events, and the rows that change in the same transaction.
struct FlowRecorder: EventRecording {
    let row: FlowStore.Row
    let app: AppCaller
    let call: Call
    let ticket: IdempotencyTicket<FlowOutcomeResponse>?
    /// Whether a second append may still change the reply: one call has one outcome.
    var isProvisional = false
    /// The error to reply with instead of an outcome.
    var refusal: ServiceError?
    var recorder: EventRecorder

    init(row: FlowStore.Row, app: AppCaller, _ run: UseCaseRun<FlowOutcomeResponse>) {
        self.row = row
        self.app = app
        call = run.call
        ticket = run.ticket
        recorder = EventRecorder(
            run.context, at: call.time, metadata: EventMetadata(app: app.appId, requestId: call.requestId))
    }

    var tenant: TenantID { TenantID(row.state.tenantId) }

    /// Adds an event and returns its id. The source address is encrypted under the key of the person the event is
    /// about.
    @discardableResult
    mutating func add(
        _ payload: any EventPayload, to stream: StreamID, version: Int, keys: [UUID: PersonKey] = [:],
        about owner: UUID? = nil, by employee: EmployeeID?
    ) throws -> UUID {
        try recorder.add(
            payload, to: stream, version: version, keys: keys, metadata: metadata(about: owner, by: employee))
    }

    /// Adds the events of one stream.
    mutating func add(
        _ events: [some AggregateEvent], to stream: StreamID, version: Int, keys: [UUID: PersonKey] = [:],
        about owner: UUID? = nil, by employee: EmployeeID?
    ) throws {
        try recorder.add(
            events, to: stream, version: version, keys: keys, metadata: metadata(about: owner, by: employee))
    }

    /// The events with a name for the device that presents its key, if the call has one and the owner chose none.
    func named(_ events: [EmployeeEvent], of employee: Employee.State) -> [EmployeeEvent] {
        guard let name = call.deviceName.flatMap({ try? DeviceName($0) }) else { return events }
        return events.flatMap { event -> [EmployeeEvent] in
            guard case .keyPresented(let presented) = event else { return [event] }
            let fingerprint = KeyFingerprint(of: presented.key)
            guard employee.namings[fingerprint, default: 0] == 0 else { return [event] }
            let named = DeviceNamed(
                employeeID: presented.employeeID, fingerprint: fingerprint,
                name: Personal(presented.employeeID, name.text))
            return [event, .deviceNamed(named)]
        }
    }

    private func metadata(about owner: UUID?, by employee: EmployeeID?) -> EventMetadata {
        var metadata = recorder.metadata
        metadata.actor = employee?.uuid
        metadata.source = owner.flatMap { owner in call.sourceAddress.map { Personal(owner: owner, text: $0) } }
        return metadata
    }

    /// Refunds the flow's own charges, and records the refund in the log. A log-in by an address has got them back with
    /// the proof.
    mutating func refund(by employee: EmployeeID) throws {
        guard row.state.address == nil else { return }
        try recorder.refund(row.state, metadata(about: nil, by: employee))
    }

    /// Appends the events, ends the flow and stores the reply for a repeated call, all in one transaction.
    func append(_ outcome: @escaping @Sendable (AppendReceipt) -> FlowOutcomeResponse) async throws
        -> FlowOutcomeResponse
    {
        let ending = try FlowStore(context: context).ending(row.state)
        var recorder = recorder
        recorder.ledgers.formUnion([FlowStore.ledger(of: row.state.id), .directory(of: UserID(row.state.userId))])
        if let ticket { recorder.ledgers.insert(ticket.ledger) }
        do {
            let appended = try await recorder.append { [ticket, isProvisional, refusal] appended in
                guard let ticket else { return [ending] }
                let reply: Result<FlowOutcomeResponse, ServiceError> =
                    refusal.map { .failure($0) } ?? .success(outcome(appended))
                return [ending, isProvisional ? ticket.fallback(reply) : ticket.completion(reply)]
            }
            if !isProvisional { ticket?.markStored() }
            return outcome(appended)
        } catch {
            guard error.conflict.map(isOwn) == true else { throw error }
            throw ServiceError(.flowAlreadyUsed)
        }
    }

    /// Whether a version conflict concerns a stream that only this flow writes. The flow then had its outcome, and a
    /// retry cannot help.
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

extension FlowRecorder {
    /// Appends the events and ends the flow with an error; a valid proof of an employee who may not log in is recorded
    /// too. A repeated call gets the same error.
    func refuse(with refusal: ServiceError) async throws -> ServiceError {
        var recorder = self
        recorder.refusal = refusal
        _ = try await recorder.append { [row] _ in
            // A placeholder: the stored and returned reply is the error.
            .authorizationPending(employeePublicKey: row.state.employeePublicKey, fingerprint: "", position: nil)
        }
        return refusal
    }
}

extension EventRecorder {
    /// Adds the refund of a flow's own charges, and its record in the log.
    mutating func refund(_ state: FlowState, _ metadata: EventMetadata) throws {
        for isKnown in [false, true] {
            let count = state.charges.count { $0.wasKnownDevice == isKnown }
            guard count > 0 else { continue }
            statements.append(AttemptBudget(state, isKnownDevice: isKnown, ring: context.ring).refund(count))
        }
        for charge in state.charges {
            let cleared = AttemptsCleared(
                credentialID: CredentialID(state.credentialId), flow: FlowID(state.id), charge: ChargeID(charge.id))
            try add(
                cleared, to: .attempt(charge.id, of: UserID(state.userId)), version: charge.version, metadata: metadata)
        }
    }
}
