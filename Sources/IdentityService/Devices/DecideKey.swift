import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Authorizes, refuses or revokes a device key, by an app's authority or an admin's signature.
struct DecideKey: Sendable {
    let context: ServiceContext

    func run(_ input: KeyDecisionInput, caller: Caller, call: Call, ticket: IdempotencyTicket?) async throws
        -> Decision
    {
        let reason = try reason(input)
        return try await optimistic {
            let (access, employee) = try await scene(input, caller)
            let key = try key(input.fingerprint, of: employee)
            // Refusals, and decisions that already hold, are reported before the caller is asked to sign.
            guard !(try decide(input.action, employee, key.key, access, nil, reason, call.time)).isEmpty else {
                return .done(try await summary(employee, access, input), position: nil)
            }
            let signing = StatementExchange(context: context, access: access)
            let statement = try await KeyStatements(context: context).statement(
                input.action.statement, key, of: employee, reason: reason.text, tenant: access.tenant,
                try await signing.statementContext(at: call.time))
            let signed: SignedStatement
            switch (caller, input.signed) {
            case (.app(let app), _): signed = try signing.vouch(statement, app.presented)
            case (.employee, nil): return .signatureRequired(statement: statement.bytes)
            case (.employee, .some(let given)):
                signed = try await signing.verify(given, is: statement, at: call.time)
            }
            let events = try decide(input.action, employee, key.key, access, signed, reason, call.time)
            return try await append(events, employee, key, access, input, call, ticket)
        }
    }

    /// The tenant as the caller may see it, and the employee. An ordinary employee sees only their own account, to
    /// decide about one device on another.
    private func scene(
        _ input: KeyDecisionInput, _ caller: Caller
    ) async throws -> (access: CompanyAccess, employee: EmployeeSnapshot) {
        if case .employee(let own) = caller {
            let name = try parsed { () throws(ValueError) in try CompanyName(input.company) }
            let id = try parsed { () throws(ValueError) in try CompanyEmployeeID(input.companyEmployeeId) }
            let tenant = TenantID(context.ring.tenantID(companyName: name.canonical))
            guard own.tenantId == tenant.uuid else { throw ServiceError(.companyUnknown) }
            let claim = try await context.reader.claim(context.ring.employeeClaim(id, in: tenant))
            if claim?.owner == own.employeeId {
                let devices = try await OwnDevices(of: own, context)
                return (devices.access, devices.employee)
            }
        }
        let access = try await context.access(input.company, caller, role: .authorization)
        return (access, try await context.employee(input.companyEmployeeId, in: access.tenant.id))
    }

    private func reason(_ input: KeyDecisionInput) throws(ServiceError) -> ReasonCode {
        let text = input.reason ?? (input.action == .authorize ? "authorized" : "")
        guard let reason = ReasonCode(text) else {
            throw ServiceError(
                .requestInvalid,
                members: [
                    .init(
                        pointer: "/reason",
                        detail: "1 to 64 characters of a-z, 0-9, point, underscore and hyphen are expected")
                ])
        }
        return reason
    }

    private func key(_ fingerprint: String, of employee: EmployeeSnapshot) throws(ServiceError) -> Employee.Key {
        guard let wanted = Hex.decode(fingerprint.lowercased()),
            let key = employee.state.keys.values.first(where: { ServiceContext.fingerprint(of: $0.key) == wanted })
        else { throw ServiceError(.authorizationUnknownKey) }
        return key
    }

    private func decide(
        _ action: KeyDecisionInput.Action, _ employee: EmployeeSnapshot, _ key: PublicKeyBytes,
        _ access: CompanyAccess, _ statement: SignedStatement?, _ reason: ReasonCode, _ time: Timestamp
    ) throws(ServiceError) -> [EmployeeEvent] {
        let decision = try access.decision(statement), tenant = access.tenant.state
        let end = Employee.EndKey(key: key, reason: reason, decision: decision, tenant: tenant, time: time)
        let command: Employee.Command =
            switch action {
            case .authorize:
                .authorizeKey(Employee.AuthorizeKey(key: key, decision: decision, tenant: tenant, time: time))
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
        if input.action == .revoke, let fingerprint = KeyFingerprint(ServiceContext.fingerprint(of: key.key)) {
            recorder.statements.append(
                NewSession.deletion(employee: employee.id, tenant: access.tenant.id, fingerprint: fingerprint))
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

/// Builds the statement about one device key that must be signed now.
struct KeyStatements: Sendable {
    let context: ServiceContext

    func statement(
        _ action: KeyStatement.Action, _ key: Employee.Key, of employee: EmployeeSnapshot, reason: String,
        tenant: TenantSnapshot, _ common: StatementContext
    ) async throws -> KeyStatement {
        guard let account = employee.state.account, let presented = employee.leaves[key.presented.position] else {
            throw ServiceError(.authorizationUnknownKey)
        }
        let user = try await StateLoader(reader: context.reader).user(account.user)
        guard let credentials = user.state.credentials else { throw ServiceError(.employeeUnknown) }
        let record = try StoredCredentials(bytes: credentials.record).record
        return KeyStatement(
            context: common, action: action, employee: employee.id.uuid,
            userKeyHash: record.sealed.context.userPublicKey.hash,
            employeeKey: try EmployeePublicKey(bytes: key.key.bytes), reason: reason, presentedHash: presented,
            policyHash: tenant.policyHash)
    }
}
