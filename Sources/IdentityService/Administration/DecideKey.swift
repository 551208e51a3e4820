import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import Projections

/// Authorizes, refuses or revokes an employee key, by an app's authority or an admin's signature.
struct DecideKey: Sendable {
    let context: ServiceContext

    func run(_ input: KeyDecisionInput, caller: Caller, call: Call, ticket: IdempotencyTicket?) async throws
        -> Decision
    {
        let reason = try reason(input)
        return try await optimistic {
            let access = try await context.access(input.company, caller, role: .authorization)
            let policy = access.tenant.state.policy
            guard KeyAuthority.permits(policy.keyAuthorization, access.decider) else {
                throw ServiceError(.authorizationNotPermitted)
            }
            let employee = try await context.employee(input.companyEmployeeId, in: access.tenant.id)
            let key = try key(input.fingerprint, of: employee)
            if try isDone(input.action, employee, key, call.time) {
                return .done(try await summary(employee, access, input), position: nil)
            }
            let signing = StatementSigning(context: context, access: access)
            let common = try await signing.statementContext(at: call.time)
            guard input.action != .authorize || common.signer.bytes != key.key.bytes else {
                throw ServiceError(.authorizationNotPermitted)
            }
            let statement = try await KeyStatements(context: context).statement(
                input.action.statement, key, of: employee, reason: reason.text, tenant: access.tenant, common)
            let signed: Identity.SignedStatement
            switch (caller, input.signed) {
            case (.app(let app), _): signed = try signing.vouch(statement, app.presented)
            case (.employee, nil): return .signatureRequired(statement: statement.bytes)
            case (.employee, .some(let given)):
                signed = try await signing.verify(given, is: statement, at: call.time)
            }
            let decision = Employee.KeyDecision(caller: access.decider, statement: signed)
            let events = try decide(input.action, employee, key.key, decision, reason, policy, call.time)
            return try await append(events, employee, key, access, input, call, ticket)
        }
    }

    private func reason(_ input: KeyDecisionInput) throws(ServiceError) -> ReasonCode {
        let text = input.reason ?? (input.action == .authorize ? "authorized" : "")
        guard let reason = ReasonCode(text) else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/reason", detail: "1 to 64 of a-z, 0-9, point, underscore, hyphen")])
        }
        return reason
    }

    private func key(_ fingerprint: String, of employee: EmployeeSnapshot) throws(ServiceError) -> Employee.Key {
        guard let wanted = Hex.decode(fingerprint.lowercased()),
            let key = employee.state.keys.values.first(where: { ServiceContext.fingerprint(of: $0.key) == wanted })
        else { throw ServiceError(.authorizationUnknownKey) }
        return key
    }

    /// Authorizing twice is the same as once, and so are the others.
    private func isDone(
        _ action: KeyDecisionInput.Action, _ employee: EmployeeSnapshot, _ key: Employee.Key, _ time: Timestamp
    ) throws(ServiceError) -> Bool {
        switch (action, employee.state.standing(of: key.key, at: time)) {
        case (.authorize, .authorized), (.refuse, .refused), (.revoke, .revoked): return true
        case (.authorize, .pending), (.refuse, .pending), (.revoke, .authorized): return false
        default: throw ServiceError(.authorizationUnknownKey)
        }
    }

    private func decide(
        _ action: KeyDecisionInput.Action, _ employee: EmployeeSnapshot, _ key: PublicKeyBytes,
        _ decision: Employee.KeyDecision, _ reason: ReasonCode, _ policy: TenantPolicy, _ time: Timestamp
    ) throws(ServiceError) -> [EmployeeEvent] {
        let end = Employee.EndKey(key: key, reason: reason, decision: decision, policy: policy, time: time)
        let command: Employee.Command =
            switch action {
            case .authorize:
                .authorizeKey(Employee.AuthorizeKey(key: key, decision: decision, policy: policy, time: time))
            case .refuse: .refuseKey(end)
            case .revoke: .revokeKey(end)
            }
        return try decided { () throws(Employee.Rejection) in try Employee.decide(employee.state, command) }
    }

    private func append(
        _ events: [EmployeeEvent], _ employee: EmployeeSnapshot, _ key: Employee.Key, _ access: CompanyAccess,
        _ input: KeyDecisionInput, _ call: Call, _ ticket: IdempotencyTicket?
    ) async throws -> Decision {
        var recorder = DecisionRecorder(context: context, access: access, call: call, ticket: ticket)
        let stream = StreamID.employee(employee.id, in: access.tenant.id)
        let keys = try await context.personKeys.load([employee.id.uuid], ledger: access.tenant.id.uuid)
        for event in events { try recorder.add(event.payload, to: stream, version: employee.version, keys: keys) }
        if input.action == .revoke, let fingerprint = Fingerprint(ServiceContext.fingerprint(of: key.key)) {
            recorder.statements.append(
                OpenedSession.deletion(employee: employee.id, tenant: access.tenant.id, fingerprint: fingerprint))
        }
        return try await recorder.append(try await summary(employee, access, input))
    }

    private func summary(
        _ employee: EmployeeSnapshot, _ access: CompanyAccess, _ input: KeyDecisionInput
    ) async throws -> EmployeeSummary {
        try await context.summary(of: employee, in: access.tenant)
    }
}

extension KeyDecisionInput.Action {
    /// The action as statements name it.
    var statement: KeyStatement.Action {
        switch self {
        case .authorize: .authorize
        case .refuse: .refuse
        case .revoke: .revoke
        }
    }
}
