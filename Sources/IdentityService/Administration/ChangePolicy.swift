import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Changes a tenant's policy. An admin signs the whole new policy.
struct ChangePolicy: Sendable {
    let context: ServiceContext

    func run(
        _ change: PolicyInput, company: String, ifMatch: Int?, signed: SubmittedStatement?, caller: Caller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> Decision {
        guard case .employee = caller else { throw ServiceError(.authorizationNotPermitted) }
        return try await optimistic {
            let access = try await context.access(company, caller, role: .authorization)
            let tenant = access.tenant
            guard ifMatch.map({ $0 == tenant.version }) ?? true else { throw ServiceError(.requestStale) }
            let policy = try change.applied(to: tenant.state.policy)
            guard policy != tenant.state.policy else { return .done(nil, position: nil) }
            let signing = StatementExchange(context: context, access: access)
            let statement = PolicyStatement(
                context: try await signing.statementContext(at: call.time), settings: policy.settings,
                policyHash: tenant.policyHash)
            try access.require(.changePolicy, about: .tenant)
            guard let signed else { return .signatureRequired(statement: statement.bytes) }
            let verified = try await signing.verify(signed, is: statement, at: call.time)
            let decision = try access.decision(verified)
            let events = try decided { () throws(Tenant.Rejection) in
                try Tenant.decide(tenant.state, .changePolicy(policy, decision))
            }
            var recorder = DecisionRecorder(context: context, access: access, call: call, ticket: ticket)
            for event in events {
                try recorder.add(event.payload, to: .tenant(tenant.id), version: tenant.version, keys: [:])
            }
            recorder.statements += tenant.sessionEffects(of: events)
            return try await recorder.append(nil)
        }
    }
}

extension PolicyInput {
    /// Returns the whole new policy.
    ///
    /// - Throws: `request.invalid` for a member without such a value.
    func applied(to policy: TenantPolicy) throws(ServiceError) -> TenantPolicy {
        var policy = policy
        if let keyAuthorization {
            policy.keyAuthorization = try known(KeyAuthorization(rawValue: keyAuthorization), "keyAuthorization")
        }
        if let approval { policy.approval = try known(Approval(rawValue: approval), "approval") }
        if let blindOnly { policy.blindOnly = blindOnly }
        if let questionsWithPassphrase { policy.questionsWithPassphrase = questionsWithPassphrase }
        if let registrationMode {
            policy.registrationMode = try known(RegistrationMode(rawValue: registrationMode), "registrationMode")
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
    /// The policy as a statement names it.
    var settings: [String: PolicyStatement.Setting] {
        [
            "keyAuthorization": .code(keyAuthorization.rawValue), "approval": .code(approval.rawValue),
            "blindOnly": .flag(blindOnly), "questionsWithPassphrase": .flag(questionsWithPassphrase),
            "registrationMode": .code(registrationMode.rawValue),
            "recoveryDelayHours": .number(Int64(recoveryDelayHours)),
            "adminSessionHours": .number(Int64(adminSessionHours)),
        ]
    }
}

/// Reads the policy in force from the log itself; for admins.
struct ReadPolicy: Sendable {
    let context: ServiceContext

    func run(_ company: String, caller: Caller) async throws -> PolicyView {
        let access = try await context.access(company, caller, role: .access)
        guard case .employee = access.decider else { throw ServiceError(.authorizationNotPermitted) }
        let tenant = access.tenant
        let policy = tenant.state.policy
        return PolicyView(
            keyAuthorization: policy.keyAuthorization.rawValue, approval: policy.approval.rawValue,
            blindOnly: policy.blindOnly, questionsWithPassphrase: policy.questionsWithPassphrase,
            registrationMode: policy.registrationMode.rawValue, recoveryDelayHours: policy.recoveryDelayHours,
            adminSessionHours: policy.adminSessionHours, version: tenant.version)
    }
}
