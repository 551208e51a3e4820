import Canonical
package import Credentials
import ErrorCodes
package import EventCoding
import FoundationEssentials
package import Identity
import Keys
import Ledger
import Postgres

/// Authorizes, refuses or revokes a device key, by an app's authority or an admin's signature.
public struct DecideKey: RepeatableUseCase {
    /// The three decisions.
    public enum Action: String, Sendable {
        /// Authorize the key.
        case authorize
        /// Refuse a pending key.
        case refuse
        /// Revoke an authorized key.
        case revoke
    }
    /// The decision.
    public let action: Action
    /// The tenant's name.
    public let company: String
    /// The employee id in that tenant.
    public let companyEmployeeId: String
    /// The key's fingerprint, lower-case hex.
    public let fingerprint: String
    /// A reason code `[a-z0-9_.-]{1,64}`; required to refuse and to revoke.
    public let reason: String?
    /// The statement and an admin's signature over it.
    public let signed: SubmittedStatement?
    /// The app or employee that decides.
    public let caller: Caller

    /// Each parameter sets the property of the same name.
    public init(
        _ action: Action, company: String, companyEmployeeId: String, fingerprint: String, reason: String? = nil,
        signed: SubmittedStatement? = nil, caller: Caller
    ) {
        self.action = action
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.fingerprint = fingerprint
        self.reason = reason
        self.signed = signed
        self.caller = caller
    }

    /// The caller.
    public func keyOwner(in context: ServiceContext) -> String? { caller.keyOwner }

    /// Makes the decision, or returns the statement to sign.
    public func run(_ run: UseCaseRun<Decision>) async throws -> Decision {
        let reason = try reasonCode(), context = run.context, time = run.call.time
        return try await optimistic {
            let (access, employee) = try await scene(context)
            let key = try key(of: employee)
            // Refusals, and decisions that already hold, are reported before the caller is asked to sign.
            guard !(try decide(employee, key.key, access, nil, reason, time)).isEmpty else {
                return .done(try await context.summary(of: employee, in: access.tenant), position: nil)
            }
            if action == .authorize, case .app = caller {
                try await DomainRegistration(context: context).requireVerified(employee, in: access.tenant)
            }
            let signing = StatementExchange(context: context, access: access)
            let statement = try await KeyStatements(context: context).statement(
                action.statement, key, of: employee, reason: reason.text, tenant: access.tenant,
                try await signing.statementContext(at: time))
            let proof: SignedStatement
            switch (caller, signed) {
            case (.app(let app), _): proof = try signing.vouch(statement, app.presented)
            case (.employee, nil): return .signatureRequired(statement: statement.bytes)
            case (.employee, .some(let given)): proof = try await signing.verify(given, is: statement, at: time)
            }
            let events = try decide(employee, key.key, access, proof, reason, time)
            return try await append(events, employee, key, access, run)
        }
    }

    /// The tenant as the caller may see it, and the employee. An ordinary employee sees only their own account, to
    /// decide about one device on another.
    private func scene(
        _ context: ServiceContext
    ) async throws -> (access: CompanyAccess, employee: EmployeeSnapshot) {
        if case .employee(let own) = caller {
            let name = try parsed { () throws(ValueError) in try CompanyName(company) }
            let id = try parsed { () throws(ValueError) in try CompanyEmployeeID(companyEmployeeId) }
            let tenant = TenantID(context.ring.tenantID(companyName: name.canonical))
            guard own.tenantId == tenant.uuid else { throw ServiceError(.companyUnknown) }
            let claim = try await context.reader.claim(context.ring.employeeClaim(id, in: tenant))
            if claim?.owner == own.employeeId {
                let devices = try await OwnDevices(of: own, context)
                return (devices.access, devices.employee)
            }
        }
        let access = try await context.access(company, caller, role: .authorization)
        return (access, try await context.employee(companyEmployeeId, in: access.tenant.id))
    }

    private func reasonCode() throws(ServiceError) -> ReasonCode {
        guard let code = ReasonCode(reason ?? (action == .authorize ? "authorized" : "")) else {
            throw ServiceError(
                .requestInvalid,
                members: [
                    .init(
                        pointer: "/reason",
                        detail: "1 to 64 characters of a-z, 0-9, point, underscore and hyphen are expected")
                ])
        }
        return code
    }

    private func key(of employee: EmployeeSnapshot) throws(ServiceError) -> Employee.Key {
        guard let wanted = Hex.decode(fingerprint.lowercased()),
            let key = employee.state.keys.values.first(where: { ServiceContext.fingerprint(of: $0.key) == wanted })
        else { throw ServiceError(.authorizationUnknownKey) }
        return key
    }

    private func decide(
        _ employee: EmployeeSnapshot, _ key: PublicKeyBytes, _ access: CompanyAccess, _ statement: SignedStatement?,
        _ reason: ReasonCode, _ time: Timestamp
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
        _ run: UseCaseRun<Decision>
    ) async throws -> Decision {
        let context = run.context
        var recorder = DecisionRecorder(access: access, run)
        let stream = StreamID.employee(employee.id, in: access.tenant.id)
        let keys = try await context.personKeys.load([employee.id.uuid], ledger: access.tenant.id.uuid)
        for event in events { try recorder.add(event.payload, to: stream, version: employee.version, keys: keys) }
        if action == .authorize,
            let mail = try await context.notice(
                .deviceAdded, about: employee, in: access.tenant.id, at: run.call.time)
        {
            try recorder.queue(mail)
        }
        if action == .revoke, let fingerprint = KeyFingerprint(ServiceContext.fingerprint(of: key.key)) {
            recorder.statements.append(
                NewSession.deletion(employee: employee.id, tenant: access.tenant.id, fingerprint: fingerprint))
        }
        return try await recorder.append(try await context.summary(of: employee, in: access.tenant))
    }
}

extension DecideKey.Action {
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
package struct KeyStatements: Sendable {
    let context: ServiceContext

    package init(context: ServiceContext) { self.context = context }

    /// The statement.
    ///
    /// - Throws: `authorization.unknown_key` for a key that was not presented; `employee.unknown` without credentials.
    package func statement(
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
