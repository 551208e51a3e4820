import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import Projections

/// Puts together the append of an administrative decision.
///
/// It guards the streams that the decision was made on: the tenant's (policy, roles, links) and the caller's own, so
/// that whoever loses authority first decides nothing afterwards.
struct DecisionRecorder: Sendable {
    let context: ServiceContext
    let access: CompanyAccess
    let call: Call
    let ticket: IdempotencyTicket?
    var events: [NewEvent] = []
    var expectations: [StreamID: Int] = [:]
    var releases: [ClaimRelease] = []
    var statements: [SQL] = []
    /// Ledgers besides those of the events whose rows ``statements`` touch.
    var ledgers: Set<LedgerID> = []

    init(context: ServiceContext, access: CompanyAccess, call: Call, ticket: IdempotencyTicket?) {
        self.context = context
        self.access = access
        self.call = call
        self.ticket = ticket
        expectations[.tenant(access.tenant.id)] = access.tenant.version
        expectations[access.guarded.stream] = access.guarded.version
    }

    /// Adds an event and returns its id.
    @discardableResult
    mutating func add(
        _ payload: any EventPayload, to stream: StreamID, version: Int, keys: [UUID: PersonKey]
    ) throws -> UUID {
        let id = UUID()
        let metadata = EventMetadata(actor: access.actor, app: access.app, requestId: call.requestId)
        events.append(try EventCodec.encode(payload, id: id, stream: stream, keys: keys, metadata: metadata))
        expectations[stream] = version
        return id
    }

    /// Appends; without events the decision was made before and nothing is written.
    func append(_ employee: EmployeeSummary?) async throws -> Decision {
        guard !events.isEmpty else { return .done(employee, position: nil) }
        let ledger = LedgerID(access.tenant.id.uuid)
        let append = Append(
            events: events, expectations: expectations, releases: releases, time: call.time,
            effectLedgers: ledgers.union(ticket.map { [$0.ledger] } ?? []),
            effects: { [statements, ticket] appended in
                let decision = Decision.done(employee, position: appended.last[ledger])
                return statements + (ticket.map { [$0.completion(.object(["answer": decision.stored]))] } ?? [])
            })
        let appended = try await context.appender.append(append)
        return .done(employee, position: appended.last[ledger])
    }
}

extension ServiceContext {
    /// An employee as answers show one, with the name opened where the key exists.
    func summary(of employee: EmployeeSnapshot, in tenant: TenantSnapshot) async throws -> EmployeeSummary {
        let keys = try await personKeys.load([employee.id.uuid], ledger: tenant.id.uuid)
        var name: String?
        if let registered = employee.events.first,
            let event = try EventCodec.payload(of: registered, keys: keys) as? EmployeeRegistered
        {
            name = event.companyEmployeeID.text
        }
        return EmployeeSummary(
            companyName: tenant.state.companyName ?? "", companyEmployeeId: name,
            status: employee.state.account?.status.rawValue ?? "", role: tenant.state.role(of: employee.id).rawValue)
    }
}
