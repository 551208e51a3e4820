import Canonical
import Credentials
import ErrorCodes
import EventCoding
import Identity
import Ledger
package import TenureAPI

extension MPinPolicyChangeRequest {
    /// Returns the whole new policy.
    ///
    /// - Throws: `request.invalid` for a member without such a value.
    func applied(to policy: MPinPolicy) throws(ServiceError) -> MPinPolicy {
        var policy = policy
        if let enabled { policy.enabled = enabled }
        if let opensSessions { policy.opensSessions = opensSessions }
        if let verification {
            guard let mode = MPinVerificationMode(rawValue: verification.rawValue) else {
                throw Self.unknown("verification")
            }
            policy.verification = mode
        }
        if let maximumFailures {
            guard MPinPolicy.failureRange.contains(maximumFailures) else { throw Self.unknown("maximumFailures") }
            policy.maximumFailures = maximumFailures
        }
        return policy
    }

    private static func unknown(_ name: String) -> ServiceError {
        ServiceError(.requestInvalid, members: [.init(pointer: "/\(name)", detail: "not a known value")])
    }
}

/// Changes a tenant's rules for M-Pin. The security admin signs the whole new policy.
package struct ChangeMPinPolicy: CallerUseCase {
    package let company: String
    /// What changes, with the statement and the security admin's signature over it in the second call.
    package let change: MPinPolicyChangeRequest
    /// The version that the caller has seen; `nil` for whatever version is in force.
    package let ifMatch: Int?
    /// The security admin. An app is refused.
    package let caller: Caller

    package init(
        company: String, _ change: MPinPolicyChangeRequest, ifMatch: Int? = nil, caller: Caller
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
            let policy = try change.applied(to: tenant.state.mpinPolicy)
            return SignedDecision(
                access: access,
                decide: {
                    policy == tenant.state.mpinPolicy
                        ? [] : try Tenant.decided(tenant.state, .changeMPinPolicy(policy, $0))
                },
                statement: { $0.policy(policy) }, holding: { .done(nil, position: nil) },
                record: { recorder, events, _ in
                    try recorder.add(events)
                    return try await recorder.append(nil)
                })
        }
    }
}

/// Reads the rules for M-Pin in force, from the log itself; for admins.
package struct ReadMPinPolicy: UseCase {
    package let company: String
    /// The admin who asks. An app is refused.
    package let caller: Caller

    package init(company: String, caller: Caller) {
        self.company = company
        self.caller = caller
    }

    package func run(_ run: UseCaseRun<MPinPolicyResponse>) async throws -> MPinPolicyResponse {
        let access = try await run.context.access(company, caller, role: .access)
        guard case .employee = access.decider else { throw ServiceError(Denial.appMayNotDecide) }
        let policy = access.tenant.state.mpinPolicy
        return MPinPolicyResponse(
            enabled: policy.enabled, verification: policy.verification.rawValue,
            maximumFailures: Int64(policy.maximumFailures), opensSessions: policy.opensSessions,
            version: Int64(access.tenant.version))
    }
}
