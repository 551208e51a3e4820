import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
package import TenureAPI

/// Approves, cancels or reinstates an employee, or ends all of an employee's sessions. An admin signs, or an app
/// vouches.
package struct DecideStatus: CallerUseCase {
    /// The four decisions.
    package enum Action: String, Sendable {
        /// Approve a registered employee.
        case approve
        case cancel
        /// Reinstate a cancelled employee.
        case reinstate
        case endSessions
    }
    package let action: Action
    package let company: String
    package let companyEmployeeId: String
    /// A free-text note, at most 1,024 bytes, which the log keeps for a cancellation and which others refuse; and an
    /// admin's signature in the second call.
    package let request: StatusDecisionRequest
    package let caller: Caller

    package init(
        _ action: Action, _ request: StatusDecisionRequest, company: String, companyEmployeeId: String, caller: Caller
    ) {
        self.action = action
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.request = request
        self.caller = caller
    }

    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let context = run.context
        let note = try request.note.map { note in
            try parsed { () throws(ValueError) in try FreeText(note, field: "note") }
        }
        return try await run.decide(by: caller, request.signed) {
            let access = try await context.access(company, caller, role: .administration), tenant = access.tenant
            let employee = try await opened(
                try await context.employee(companyEmployeeId, in: tenant.id), access, context)
            return SignedDecision(
                access: access, leaves: employee.leaves, latest: employee.lastStatusPosition,
                decide: { try decide(note, employee, tenant.state, $0) },
                statement: { facts in
                    guard facts.leaf(employee.state.account?.registered) != nil else {
                        throw ServiceError(.employeeUnknown)
                    }
                    return facts.status(action.statement, of: employee.id, employee.state, reason: action.reason)
                },
                holding: { .done(try await context.summary(of: employee, in: tenant), position: nil) },
                record: { try await record($1, $2, employee, in: &$0) })
        }
    }

    /// The employee with personal texts decrypted: an approval reads the address.
    private func opened(
        _ employee: EmployeeSnapshot, _ access: CompanyAccess, _ context: ServiceContext
    ) async throws -> EmployeeSnapshot {
        let keys = try await context.personKeys.load([employee.id.uuid], ledger: access.tenant.id.uuid)
        var opened = employee
        opened.state = Employee.fold(try employee.events.map { try EventCodec.decode($0, keys: keys) })
        return opened
    }

    private func decide(
        _ note: FreeText?, _ employee: EmployeeSnapshot, _ tenant: Tenant.State, _ decision: AuthorityDecision
    ) throws -> [EmployeeEvent] {
        guard let ended = ReasonCode(Action.endSessions.reason) else { throw ProgramDefect("a reason is no code") }
        let by = Employee.StatusDecision(role: tenant.role(of: employee.id), decision: decision)
        let command: Employee.Command =
            switch action {
            case .approve: .approve(Employee.Approve(by: by, confirmedDomains: tenant.confirmedDomains))
            case .cancel: .cancel(Employee.Cancel(note: note, by: by))
            case .reinstate: .reinstate(Employee.Reinstate(by: by))
            case .endSessions: .endSessions(Employee.EndSessions(reason: ended, by: by))
            }
        return try Employee.decided(employee.state, command)
    }

    private func record(
        _ events: [EmployeeEvent], _ decision: AuthorityDecision, _ employee: EmployeeSnapshot,
        in recorder: inout DecisionRecorder<DecisionResponse>
    ) async throws -> DecisionResponse {
        let context = recorder.context
        var after = employee, company = recorder.access.tenant
        let tenant = company.id
        let keys = try await context.personKeys.load([employee.id.uuid], ledger: tenant.uuid)
        after.apply(events, at: recorder.call.time)
        for event in events {
            try recorder.add(
                event.payload, to: .employee(employee.id, in: tenant), version: employee.version, keys: keys)
            switch event {
            case .cancelled:
                recorder.statements.append(NewSession.deletion(employee: employee.id, tenant: tenant))
                try recorder.dismiss(employee, from: &company, decision)
                if let mail = try await context.notice(
                    .removed, about: employee, in: tenant, from: recorder.call.sourceAddress, at: recorder.call.time)
                {
                    try recorder.queue(mail)
                }
            case .sessionsEnded:
                recorder.statements.append(NewSession.deletion(employee: employee.id, tenant: tenant))
            case .idReleased:
                guard let text = employee.state.account?.companyEmployeeID.text,
                    let id = try? CompanyEmployeeID(recorded: text)
                else { continue }
                try await AccountRelease(of: employee, named: id, in: tenant, context)
                    .add(to: &recorder)
            default: break
            }
        }
        return try await recorder.append(try await context.summary(of: after, in: company))
    }
}

extension DecideStatus.Action {
    var statement: EmployeeStatement.Action {
        switch self {
        case .approve: .approve
        case .cancel: .cancel
        case .reinstate: .reinstate
        case .endSessions: .endSessions
        }
    }

    /// The reason that the statement names.
    var reason: String {
        switch self {
        case .approve: "approved"
        case .cancel: "cancelled"
        case .reinstate: "reinstated"
        case .endSessions: "sessions_ended"
        }
    }
}

extension DecisionRecorder {
    /// Dismisses a cancelled admin, in the append of the cancellation and by the same decision.
    ///
    /// So a reinstatement restores no role. Nothing is added for an employee who is not an admin.
    ///
    /// - Parameter company: The tenant as the decision found it. Its state is advanced.
    mutating func dismiss(
        _ employee: EmployeeSnapshot, from company: inout TenantSnapshot, _ decision: AuthorityDecision
    ) throws {
        guard company.state.role(of: employee.id) == .admin, let user = employee.state.account?.user else { return }
        let events = try Tenant.decided(company.state, .dismissAdmin(employee.id, of: user, decision))
        try add(events)
        company.apply(events, at: call.time)
    }
}

extension EmployeeSnapshot {
    /// The position of the latest decision about the account; 0 before the first.
    ///
    /// A statement about the status that is older was signed before that decision, or is the one that caused it.
    fileprivate var lastStatusPosition: Int64 {
        let types = [
            EmployeeApproved.type, EmployeeCancelled.type, EmployeeReinstated.type, EmployeeSessionsEnded.type,
        ]
        return events.last { types.contains($0.type) }?.position ?? 0
    }
}
