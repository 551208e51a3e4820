import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Approves, cancels or reinstates an employee, or ends all of an employee's sessions. An admin signs, or an app
/// vouches.
struct DecideStatus: Sendable {
    let context: ServiceContext

    func run(_ input: StatusDecisionInput, caller: Caller, call: Call, ticket: IdempotencyTicket?) async throws
        -> Decision
    {
        let note = try input.note.map { note in
            try parsed { () throws(ValueError) in try FreeText(note, field: "note") }
        }
        return try await optimistic {
            let access = try await context.access(input.company, caller, role: .administration)
            let employee = try await opened(
                try await context.employee(input.companyEmployeeId, in: access.tenant.id), access)
            // Refusals, and decisions that already hold, are reported before the caller is asked to sign.
            guard !(try decide(input.action, note, employee, access, nil)).isEmpty else {
                return .done(try await context.summary(of: employee, in: access.tenant), position: nil)
            }
            let signing = StatementExchange(context: context, access: access)
            let statement = try await statement(input.action, employee, signing, call)
            let signed: SignedStatement
            switch (caller, input.signed) {
            case (.app(let app), _): signed = try signing.vouch(statement, app.presented)
            case (.employee, nil): return .signatureRequired(statement: statement.bytes)
            case (.employee, .some(let given)):
                signed = try await signing.verify(
                    given, is: statement, at: call.time, after: employee.lastStatusPosition)
            }
            return try await append(
                try decide(input.action, note, employee, access, signed), signed, employee, access, call, ticket)
        }
    }

    /// The employee with personal texts decrypted: an approval reads the address.
    private func opened(_ employee: EmployeeSnapshot, _ access: CompanyAccess) async throws -> EmployeeSnapshot {
        let keys = try await context.personKeys.load([employee.id.uuid], ledger: access.tenant.id.uuid)
        var opened = employee
        opened.state = Employee.fold(try employee.events.map { try EventCodec.decode($0, keys: keys) })
        return opened
    }

    private func statement(
        _ action: StatusDecisionInput.Action, _ employee: EmployeeSnapshot, _ signing: StatementExchange, _ call: Call
    ) async throws -> EmployeeStatement {
        guard let registered = employee.state.account?.registered, let leaf = employee.leaves[registered.position]
        else { throw ServiceError(.employeeUnknown) }
        return EmployeeStatement(
            context: try await signing.statementContext(at: call.time), action: action.statement,
            employee: employee.id.uuid, registeredHash: leaf, reason: action.reason)
    }

    private func decide(
        _ action: StatusDecisionInput.Action, _ note: FreeText?, _ employee: EmployeeSnapshot,
        _ access: CompanyAccess, _ statement: SignedStatement?
    ) throws(ServiceError) -> [EmployeeEvent] {
        let tenant = access.tenant.state
        let by = Employee.StatusDecision(
            role: tenant.role(of: employee.id), decision: try access.decision(statement))
        guard let ended = ReasonCode(StatusDecisionInput.Action.endSessions.reason) else {
            throw ServiceError(.serviceUnavailable)
        }
        let command: Employee.Command =
            switch action {
            case .approve: .approve(Employee.Approve(by: by, confirmedDomains: tenant.confirmedDomains))
            case .cancel: .cancel(Employee.Cancel(note: note, by: by))
            case .reinstate: .reinstate(Employee.Reinstate(by: by))
            case .endSessions: .endSessions(Employee.EndSessions(reason: ended, by: by))
            }
        return try decided { () throws(Employee.Rejection) in try Employee.decide(employee.state, command) }
    }

    private func append(
        _ events: [EmployeeEvent], _ signed: SignedStatement, _ employee: EmployeeSnapshot,
        _ access: CompanyAccess, _ call: Call, _ ticket: IdempotencyTicket?
    ) async throws -> Decision {
        let tenant = access.tenant.id
        var recorder = DecisionRecorder(context: context, access: access, call: call, ticket: ticket)
        let keys = try await context.personKeys.load([employee.id.uuid], ledger: tenant.uuid)
        var after = employee, company = access.tenant
        var released: UUID?
        for (offset, event) in events.enumerated() {
            let eventId = try recorder.add(
                event.payload, to: .employee(employee.id, in: tenant), version: employee.version, keys: keys)
            Employee.evolve(
                &after.state,
                Recorded(event, id: UUID(), time: call.time, position: .max, version: employee.version + offset + 1))
            switch event {
            case .cancelled:
                recorder.statements.append(NewSession.deletion(employee: employee.id, tenant: tenant))
                try recorder.dismiss(employee, from: &company, try access.decision(signed))
            case .idReleased: released = eventId
            case .sessionsEnded:
                recorder.statements.append(NewSession.deletion(employee: employee.id, tenant: tenant))
            default: break
            }
        }
        if let released, let text = employee.state.account?.companyEmployeeID.text,
            let id = try? CompanyEmployeeID(recorded: text)
        {
            try await AccountRelease(of: employee, named: id, in: tenant, cause: released, context).add(to: &recorder)
        }
        return try await recorder.append(try await context.summary(of: after, in: company))
    }
}

extension StatusDecisionInput.Action {
    /// The action as statements name it.
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
        let events = try decided { () throws(Tenant.Rejection) in
            try Tenant.decide(company.state, .dismissAdmin(employee.id, of: user, decision))
        }
        for event in events {
            try add(event.payload, to: .tenant(company.id), version: company.version, keys: [:])
            Tenant.evolve(
                &company.state,
                Recorded(event, id: UUID(), time: call.time, position: .max, version: company.version + 1))
        }
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
