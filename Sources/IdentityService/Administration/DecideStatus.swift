import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Approves, cancels or reinstates an employee, or ends all of an employee's sessions. An admin signs, or an app
/// vouches.
public struct DecideStatus: RepeatableUseCase {
    /// The four decisions.
    public enum Action: String, Sendable {
        /// Approve a registered employee.
        case approve
        /// Cancel an employee.
        case cancel
        /// Reinstate a cancelled employee.
        case reinstate
        /// End all sessions of an employee.
        case endSessions
    }
    /// The decision.
    public let action: Action
    /// The tenant's name.
    public let company: String
    /// The employee id in that tenant.
    public let companyEmployeeId: String
    /// A free-text note, at most 1,024 bytes.
    public let note: String?
    /// The statement and an admin's signature over it, in the second call.
    public let signed: SubmittedStatement?
    /// The app or admin that decides.
    public let caller: Caller

    /// Each parameter sets the property of the same name.
    public init(
        _ action: Action, company: String, companyEmployeeId: String, note: String? = nil,
        signed: SubmittedStatement? = nil, caller: Caller
    ) {
        self.action = action
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.note = note
        self.signed = signed
        self.caller = caller
    }

    /// The caller.
    public func keyOwner(in context: ServiceContext) -> String? { caller.keyOwner }

    /// Makes the decision, or returns the statement to sign.
    public func run(_ run: UseCaseRun<Decision>) async throws -> Decision {
        let context = run.context, time = run.call.time
        let note = try note.map { note in
            try parsed { () throws(ValueError) in try FreeText(note, field: "note") }
        }
        return try await optimistic {
            let access = try await context.access(company, caller, role: .administration)
            let employee = try await opened(
                try await context.employee(companyEmployeeId, in: access.tenant.id), access, context)
            // Refusals, and decisions that already hold, are reported before the caller is asked to sign.
            guard !(try decide(note, employee, access, nil)).isEmpty else {
                return .done(try await context.summary(of: employee, in: access.tenant), position: nil)
            }
            let signing = StatementExchange(context: context, access: access)
            let statement = try await statement(employee, signing, time)
            let proof: SignedStatement
            switch (caller, signed) {
            case (.app(let app), _): proof = try signing.vouch(statement, app.presented)
            case (.employee, nil): return .signatureRequired(statement: statement.bytes)
            case (.employee, .some(let given)):
                proof = try await signing.verify(given, is: statement, at: time, after: employee.lastStatusPosition)
            }
            return try await append(try decide(note, employee, access, proof), proof, employee, access, run)
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

    private func statement(
        _ employee: EmployeeSnapshot, _ signing: StatementExchange, _ time: Timestamp
    ) async throws -> EmployeeStatement {
        guard let registered = employee.state.account?.registered, let leaf = employee.leaves[registered.position]
        else { throw ServiceError(.employeeUnknown) }
        return EmployeeStatement(
            context: try await signing.statementContext(at: time), action: action.statement,
            employee: employee.id.uuid, registeredHash: leaf, reason: action.reason)
    }

    private func decide(
        _ note: FreeText?, _ employee: EmployeeSnapshot, _ access: CompanyAccess, _ statement: SignedStatement?
    ) throws(ServiceError) -> [EmployeeEvent] {
        let tenant = access.tenant.state
        let by = Employee.StatusDecision(
            role: tenant.role(of: employee.id), decision: try access.decision(statement))
        guard let ended = ReasonCode(Action.endSessions.reason) else {
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
        _ access: CompanyAccess, _ run: UseCaseRun<Decision>
    ) async throws -> Decision {
        let tenant = access.tenant.id, context = run.context
        var recorder = DecisionRecorder(access: access, run)
        let keys = try await context.personKeys.load([employee.id.uuid], ledger: tenant.uuid)
        var after = employee, company = access.tenant
        var released: UUID?
        for (offset, event) in events.enumerated() {
            let eventId = try recorder.add(
                event.payload, to: .employee(employee.id, in: tenant), version: employee.version, keys: keys)
            Employee.evolve(
                &after.state,
                Recorded(
                    event, id: UUID(), time: run.call.time, position: .max, version: employee.version + offset + 1))
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

extension DecideStatus.Action {
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
