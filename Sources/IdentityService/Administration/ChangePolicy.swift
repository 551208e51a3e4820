import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
package import TenureAPI

/// Changes a tenant's policy. An admin signs the whole new policy.
package struct ChangePolicy: CallerUseCase {
    package let company: String
    /// What changes, with the statement and an admin's signature over it in the second call.
    package let change: PolicyChangeRequest
    /// The version that the caller has seen; `nil` for whatever version is in force.
    package let ifMatch: Int?
    /// The admin who decides. An app is refused.
    package let caller: Caller

    package init(
        company: String, _ change: PolicyChangeRequest, ifMatch: Int? = nil, caller: Caller
    ) {
        self.company = company
        self.change = change
        self.ifMatch = ifMatch
        self.caller = caller
    }

    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        guard case .employee = caller else { throw ServiceError(Denial.appMayNotDecide) }
        return try await run.decide(change.signed) {
            let access = try await run.context.access(company, caller, role: .authorization), tenant = access.tenant
            try await run.context.requireRecentLogIn(of: caller, at: run.call.time)
            guard ifMatch.map({ $0 == tenant.version }) ?? true else { throw ServiceError(.requestStale) }
            let policy = try change.applied(to: tenant.state.policy)
            return SignedDecision(
                access: access,
                decide: { decision -> [TenantEvent] in
                    if policy == tenant.state.policy { return [] }
                    let change = Tenant.PolicyChange(policy, at: run.call.time)
                    let events = try Tenant.decided(tenant.state, .changePolicy(change, decision))
                    // Only who may decide so reads and learns who has no secret.
                    try await requireMeans(of: policy.logIn, tenant, run.context)
                    return events
                },
                statement: { $0.policy(policy) }, holding: { .done(nil, position: nil) },
                record: { recorder, events, _ in
                    try recorder.add(events)
                    recorder.statements += try await run.context.sessionEffects(of: events, in: tenant)
                    return try await recorder.append(nil)
                })
        }
    }

    /// Refuses a policy that asks people for what they lack.
    ///
    /// - Throws: `policy.secretless_people` or `policy.passkeyless_people`, which name at most twenty of them.
    private func requireMeans(
        of logging: LogInRule, _ tenant: TenantSnapshot, _ context: ServiceContext
    ) async throws {
        let affected = AffectedPeople(context: context, tenant: tenant), people: Set<EmployeeID>
        switch logging {
        case _ where logging == tenant.state.policy.logIn: return
        case .passkeyOrSecret: return
        case .secret: people = try await affected.secretless()
        case .passkey: people = try await affected.passkeyless()
        }
        guard !people.isEmpty else { return }
        var names: [String] = []
        for id in people.prefix(20) {
            let employee = try await StateLoader(reader: context.reader).employee(id, in: tenant.id)
            names.append(try await context.summary(of: employee, in: tenant).companyEmployeeId ?? id.uuid.lowercased)
        }
        let lacksSecret = logging == .secret
        throw ServiceError(
            lacksSecret ? .policySecretlessPeople : .policyPasskeylessPeople,
            members: names.sorted().map {
                .init(pointer: "/logIn", detail: "\($0) has no \(lacksSecret ? "secret" : "passkey")")
            })
    }
}

extension PolicyChangeRequest {
    /// Returns the whole new policy.
    ///
    /// - Throws: `request.invalid` for a member without such a value.
    func applied(to policy: TenantPolicy) throws(ServiceError) -> TenantPolicy {
        var policy = policy
        if let keyAuthorization {
            policy.keyAuthorization = try known(
                Identity.KeyAuthorization(rawValue: keyAuthorization.rawValue), "keyAuthorization")
        }
        if let approval { policy.approval = try known(Identity.Approval(rawValue: approval.rawValue), "approval") }
        if let blindOnly { policy.blindOnly = blindOnly }
        if let questionsWithPassphrase { policy.questionsWithPassphrase = questionsWithPassphrase }
        if let registrationMode {
            policy.registrationMode = try known(
                Identity.RegistrationMode(rawValue: registrationMode.rawValue), "registrationMode")
        }
        if let recoveryDelayHours {
            policy.recoveryDelayHours = try known(
                TenantPolicy.recoveryDelayRange.contains(recoveryDelayHours) ? recoveryDelayHours : nil,
                "recoveryDelayHours")
        }
        if let adminSessionHours {
            policy.adminSessionHours = try known(
                TenantPolicy.adminSessionRange.contains(adminSessionHours) ? adminSessionHours : nil,
                "adminSessionHours")
        }
        if let logIn { policy.logIn = try known(Identity.LogInRule(rawValue: logIn.rawValue), "logIn") }
        if let adminsNeedPasskey { policy.adminsNeedPasskey = adminsNeedPasskey }
        if let clonedKey {
            policy.clonedKey = try known(Identity.ClonedKeyRule(rawValue: clonedKey.rawValue), "clonedKey")
        }
        return policy
    }

    private func known<Value>(_ value: Value?, _ name: String) throws(ServiceError) -> Value {
        guard let value else {
            throw ServiceError(.requestInvalid, members: [.init(pointer: "/\(name)", detail: "not a known value")])
        }
        return value
    }
}

extension TenantPolicy {
    var settings: [String: PolicyStatement.Setting] {
        [
            "keyAuthorization": .code(keyAuthorization.rawValue), "approval": .code(approval.rawValue),
            "blindOnly": .flag(blindOnly), "questionsWithPassphrase": .flag(questionsWithPassphrase),
            "registrationMode": .code(registrationMode.rawValue),
            "recoveryDelayHours": .number(Int64(recoveryDelayHours)),
            "adminSessionHours": .number(Int64(adminSessionHours)), "logIn": .code(logIn.rawValue),
            "adminsNeedPasskey": .flag(adminsNeedPasskey), "clonedKey": .code(clonedKey.rawValue),
        ]
    }
}

/// Reads the policy in force from the log itself; for admins.
package struct ReadPolicy: UseCase {
    package let company: String
    /// The admin who asks. An app is refused.
    package let caller: Caller

    package init(company: String, caller: Caller) {
        self.company = company
        self.caller = caller
    }

    package func run(_ run: UseCaseRun<PolicyResponse>) async throws -> PolicyResponse {
        let access = try await run.context.access(company, caller, role: .access)
        guard case .employee = access.decider else { throw ServiceError(Denial.appMayNotDecide) }
        let tenant = access.tenant
        let policy = tenant.state.policy
        return PolicyResponse(
            keyAuthorization: policy.keyAuthorization.rawValue, approval: policy.approval.rawValue,
            blindOnly: policy.blindOnly, questionsWithPassphrase: policy.questionsWithPassphrase,
            registrationMode: policy.registrationMode.rawValue, recoveryDelayHours: Int64(policy.recoveryDelayHours),
            adminSessionHours: Int64(policy.adminSessionHours), logIn: policy.logIn.rawValue,
            adminsNeedPasskey: policy.adminsNeedPasskey, clonedKey: policy.clonedKey.rawValue,
            adminsWithoutPasskey: try await AffectedPeople(context: run.context, tenant: tenant).adminsWithoutPasskey(),
            version: Int64(tenant.version))
    }
}
