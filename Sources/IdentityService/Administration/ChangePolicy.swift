import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// Changes a company's policy; an admin signs the whole of the new one.
struct ChangePolicy: Sendable {
    let context: ServiceContext

    func run(
        _ change: PolicyChange, company: String, ifMatch: Int?, signed: SignedStatement?, caller: Caller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> Decision {
        guard case .employee = caller else { throw ServiceError(.authorizationNotPermitted) }
        return try await optimistic {
            let access = try await context.access(company, caller, role: .authorization)
            let tenant = access.tenant
            guard ifMatch.map({ $0 == tenant.version }) ?? true else { throw ServiceError(.requestStale) }
            let policy = try change.applied(to: tenant.state.policy)
            guard policy != tenant.state.policy else { return .done(nil, position: nil) }
            let signing = StatementSigning(context: context, access: access)
            let statement = PolicyStatement(
                context: try await signing.statementContext(at: call.time), settings: policy.settings,
                policyHash: tenant.policyHash)
            guard let signed else { return .signatureRequired(statement: statement.bytes) }
            let verified = try await signing.verify(signed, is: statement, at: call.time)
            let events = try decided { () throws(Tenant.Rejection) in
                try Tenant.decide(
                    tenant.state,
                    .changePolicy(policy, Tenant.Decision(caller: access.decider, statement: verified)))
            }
            var recorder = DecisionRecorder(context: context, access: access, call: call, ticket: ticket)
            for event in events {
                try recorder.add(event.payload, to: .tenant(tenant.id), version: tenant.version, keys: [:])
            }
            return try await recorder.append(nil)
        }
    }
}

extension PolicyChange {
    /// The whole new policy.
    func applied(to policy: TenantPolicy) throws(ServiceError) -> TenantPolicy {
        var policy = policy
        if let keyAuthorization {
            policy.keyAuthorization = try known(KeyAuthorization(rawValue: keyAuthorization), "keyAuthorization")
        }
        if let approval { policy.approval = try known(Approval(rawValue: approval), "approval") }
        if let blindOnly { policy.blindOnly = blindOnly }
        if let questionsWithPassphrase { policy.questionsWithPassphrase = questionsWithPassphrase }
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
        ]
    }
}
