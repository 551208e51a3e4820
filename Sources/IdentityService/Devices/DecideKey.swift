import Canonical
package import Credentials
import ErrorCodes
package import EventCoding
import FoundationEssentials
package import Identity
import Keys
import Ledger
import Postgres
package import TenureAPI

/// Authorizes, refuses or revokes a device key, by an app's authority or an admin's signature.
package struct DecideKey: CallerUseCase {
    /// The three decisions.
    package enum Action: String, Sendable {
        case authorize
        /// Refuse a pending key.
        case refuse
        /// Revoke an authorized key.
        case revoke
    }
    package let action: Action
    package let company: String
    package let companyEmployeeId: String
    /// The key's fingerprint, lower-case hex.
    package let fingerprint: String
    /// A reason code `[a-z0-9_.-]{1,64}`; required to refuse and to revoke.
    package let reason: String?
    /// The statement and an admin's signature over it.
    package let signed: StatementSignature?
    /// The app or employee that decides.
    package let caller: Caller

    package init(
        _ action: Action, company: String, companyEmployeeId: String, fingerprint: String, reason: String? = nil,
        signed: StatementSignature? = nil, caller: Caller
    ) {
        self.action = action
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.fingerprint = fingerprint
        self.reason = reason
        self.signed = signed
        self.caller = caller
    }

    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let reason = try reasonCode(self.reason ?? (action == .authorize ? "authorized" : "")), context = run.context
        return try await run.decide(by: caller, signed) {
            let (access, employee) = try await scene(context), tenant = access.tenant
            let key = try key(of: employee)
            return SignedDecision(
                access: access, leaves: employee.leaves,
                decide: { try decide(employee, key.key, tenant.state, $0, reason, run.call.time) },
                statement: { facts in
                    if action == .authorize, case .app = caller {
                        try await DomainRegistration(context: context).requireVerified(employee, in: tenant)
                    }
                    return try await facts.key(action.statement, key, of: employee, reason: reason.text, context)
                },
                holding: { .done(try await context.summary(of: employee, in: tenant), position: nil) },
                record: { recorder, events, _ in try await record(events, employee, key, in: &recorder) })
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

    private func key(of employee: EmployeeSnapshot) throws(ServiceError) -> Employee.Key {
        guard let wanted = Hex.decode(fingerprint.lowercased()),
            let key = employee.state.keys.values.first(where: { ServiceContext.fingerprint(of: $0.key) == wanted })
        else { throw ServiceError(.authorizationUnknownKey) }
        return key
    }

    private func decide(
        _ employee: EmployeeSnapshot, _ key: PublicKeyBytes, _ tenant: Tenant.State, _ decision: AuthorityDecision,
        _ reason: ReasonCode, _ time: Timestamp
    ) throws(ServiceError) -> [EmployeeEvent] {
        let end = Employee.EndKey(key: key, reason: reason, decision: decision, tenant: tenant, time: time)
        let command: Employee.Command =
            switch action {
            case .authorize:
                .authorizeKey(Employee.AuthorizeKey(key: key, decision: decision, tenant: tenant, time: time))
            case .refuse: .refuseKey(end)
            case .revoke: .revokeKey(end)
            }
        return try Employee.decided(employee.state, command)
    }

    private func record(
        _ events: [EmployeeEvent], _ employee: EmployeeSnapshot, _ key: Employee.Key,
        in recorder: inout DecisionRecorder<DecisionResponse>
    ) async throws -> DecisionResponse {
        let context = recorder.context, tenant = recorder.access.tenant
        let keys = try await context.personKeys.load([employee.id.uuid], ledger: tenant.id.uuid)
        try recorder.add(events, to: .employee(employee.id, in: tenant.id), version: employee.version, keys: keys)
        let isFirst = employee.state.keys.values.allSatisfy { $0.authorized == nil }
        if action == .authorize,
            let mail = try await context.notice(
                isFirst ? .approved : .deviceAdded, about: employee, in: tenant.id,
                from: recorder.call.sourceAddress, at: recorder.call.time)
        {
            try recorder.queue(mail)
        }
        if action == .revoke, let fingerprint = KeyFingerprint(ServiceContext.fingerprint(of: key.key)) {
            recorder.statements.append(
                NewSession.deletion(employee: employee.id, tenant: tenant.id, fingerprint: fingerprint))
        }
        return try await recorder.append(try await context.summary(of: employee, in: tenant))
    }
}

extension DecideKey.Action {
    var statement: KeyStatement.Action {
        switch self {
        case .authorize: .authorize
        case .refuse: .refuse
        case .revoke: .revoke
        }
    }
}

extension StatementFacts {
    /// A decision about a device key that an employee with credentials presented.
    ///
    /// - Throws: `authorization.unknown_key` for a key that was not presented; `employee.unknown` without credentials.
    package func key(
        _ action: KeyStatement.Action, _ key: Employee.Key, of employee: EmployeeSnapshot, reason: String,
        _ context: ServiceContext
    ) async throws -> KeyStatement {
        guard let account = employee.state.account, leaf(key.presented) != nil else {
            throw ServiceError(.authorizationUnknownKey)
        }
        let user = try await StateLoader(reader: context.reader).user(account.user)
        guard let credentials = user.state.credentials else { throw ServiceError(.employeeUnknown) }
        let record = try StoredCredentials(bytes: credentials.record).record
        return try self.key(
            action, key.key, of: employee.id, employee.state,
            userKeyHash: record.sealed.context.userPublicKey.hash, reason: reason)
    }
}
