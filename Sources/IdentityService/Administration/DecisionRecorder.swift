import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import TenureAPI

/// Builds the append of an administrative decision.
///
/// It guards the streams that the decision was made on: the tenant's (policy, roles, links) and the caller's own. A
/// caller who loses authority first decides nothing afterwards.
struct DecisionRecorder<Answer: Sendable>: EventRecording {
    let access: CompanyAccess
    let call: Call
    let ticket: IdempotencyTicket<Answer>?
    var recorder: EventRecorder

    init(access: CompanyAccess, _ run: UseCaseRun<Answer>) {
        self.access = access
        call = run.call
        ticket = run.ticket
        recorder = EventRecorder(
            run.context, at: call.time,
            metadata: EventMetadata(actor: access.actor, app: access.app, requestId: call.requestId))
        recorder.expectations[.tenant(access.tenant.id)] = access.tenant.version
        recorder.expectations[access.guarded.stream] = access.guarded.version
    }

    /// Adds the events of the tenant that the decision was made on.
    mutating func add(_ events: [TenantEvent]) throws {
        try add(events, to: .tenant(access.tenant.id), version: access.tenant.version)
    }

    /// Appends the events, and replies with `answer` of the position in the tenant's ledger. Without events the decision
    /// already holds, and nothing is written.
    func append(_ answer: @escaping @Sendable (Int64?) -> Answer) async throws -> Answer {
        guard !recorder.events.isEmpty else { return answer(nil) }
        let ledger = LedgerID(access.tenant.id.uuid)
        var recorder = recorder
        if let ticket { recorder.ledgers.insert(ticket.ledger) }
        let appended = try await recorder.append { [ticket] appended in
            ticket.map { [$0.completion(.success(answer(appended.last[ledger])))] } ?? []
        }
        ticket?.markStored()
        return answer(appended.last[ledger])
    }
}

extension DecisionRecorder where Answer == DecisionResponse {
    /// Appends the events of a decision about an employee.
    func append(_ employee: EmployeeSummaryResponse?) async throws -> DecisionResponse {
        try await append { position in DecisionResponse.done(employee, position: position) }
    }
}

extension ServiceContext {
    /// An employee as replies show one, with the name decrypted while the key exists.
    func summary(of employee: EmployeeSnapshot, in tenant: TenantSnapshot) async throws -> EmployeeSummaryResponse {
        let keys = try await personKeys.load([employee.id.uuid], ledger: tenant.id.uuid)
        var name: String?
        if let registered = employee.events.first,
            let event = try EventCodec.payload(of: registered, keys: keys) as? EmployeeRegistered
        {
            name = event.companyEmployeeID.text
        }
        return EmployeeSummaryResponse(
            employeeId: employee.id.uuid, tenantId: tenant.id.uuid, companyName: tenant.state.companyName ?? "",
            companyEmployeeId: name,
            status: employee.state.account?.status.rawValue ?? "", role: tenant.state.role(of: employee.id).rawValue)
    }
}

extension TenantSnapshot {
    /// The position of the latest event about the tenant itself: policy, roles, domains and apps.
    var lastPosition: Int64 { leaves.keys.max() ?? 0 }

    /// The leaf hash of the event that set the policy in force; `nil` while it is the initial one.
    var policyHash: [UInt8]? { state.policySince.flatMap { leaves[$0.position] } }
}
