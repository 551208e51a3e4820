import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// A tenant's rules for M-Pin, as replies show them.
public struct MPinPolicyView: Sendable, Equatable {
    /// Whether identities can be registered and can authenticate.
    public var enabled: Bool
    /// `email` or `application`.
    public var verification: String
    /// The number of consecutive wrong proofs that blocks an identity, 1 to 5.
    public var maximumFailures: Int
    /// Whether a linked identity may stand in the place of answers in a log-in.
    public var opensSessions: Bool
    /// The version of the tenant that the policy was read at.
    public var version: Int
}

/// The members of a tenant's rules for M-Pin that change.
public struct MPinPolicyInput: Sendable, Equatable {
    /// Whether identities can be registered and can authenticate.
    public var enabled: Bool?
    /// `email` or `application`.
    public var verification: String?
    /// The number of consecutive wrong proofs that blocks an identity, 1 to 5.
    public var maximumFailures: Int?
    /// Whether a linked identity may stand in the place of answers in a log-in.
    public var opensSessions: Bool?

    /// Each parameter sets the property of the same name.
    public init(
        enabled: Bool? = nil, verification: String? = nil, maximumFailures: Int? = nil, opensSessions: Bool? = nil
    ) {
        self.enabled = enabled
        self.verification = verification
        self.maximumFailures = maximumFailures
        self.opensSessions = opensSessions
    }

    /// Returns the whole new policy.
    ///
    /// - Throws: `request.invalid` for a member without such a value.
    func applied(to policy: MPinPolicy) throws(ServiceError) -> MPinPolicy {
        var policy = policy
        if let enabled { policy.enabled = enabled }
        if let opensSessions { policy.opensSessions = opensSessions }
        if let verification {
            guard let mode = MPinVerificationMode(rawValue: verification) else { throw Self.unknown("verification") }
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
public struct ChangeMPinPolicy: RepeatableUseCase {
    /// The tenant's name.
    public let company: String
    /// What changes.
    public let change: MPinPolicyInput
    /// The version that the caller has seen; `nil` for whatever version is in force.
    public let ifMatch: Int?
    /// The statement and the security admin's signature over it, in the second call.
    public let signed: SubmittedStatement?
    /// The security admin. An app is refused.
    public let caller: Caller

    /// Each parameter sets the property of the same name.
    public init(
        company: String, change: MPinPolicyInput, ifMatch: Int? = nil, signed: SubmittedStatement? = nil, caller: Caller
    ) {
        self.company = company
        self.change = change
        self.ifMatch = ifMatch
        self.signed = signed
        self.caller = caller
    }

    /// The caller.
    public func keyOwner(in context: ServiceContext) -> String? { caller.keyOwner }

    /// Makes the decision, or returns the statement to sign.
    public func run(_ run: UseCaseRun<Decision>) async throws -> Decision {
        guard case .employee = caller else { throw ServiceError(Denial.appMayNotDecide) }
        return try await run.decide(signed) {
            let access = try await run.context.access(company, caller, role: .authorization), tenant = access.tenant
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
public struct ReadMPinPolicy: UseCase {
    /// The tenant's name.
    public let company: String
    /// The admin who asks. An app is refused.
    public let caller: Caller

    /// Each parameter sets the property of the same name.
    public init(company: String, caller: Caller) {
        self.company = company
        self.caller = caller
    }

    /// Reads the policy.
    public func run(_ run: UseCaseRun<MPinPolicyView>) async throws -> MPinPolicyView {
        let access = try await run.context.access(company, caller, role: .access)
        guard case .employee = access.decider else { throw ServiceError(Denial.appMayNotDecide) }
        let policy = access.tenant.state.mpinPolicy
        return MPinPolicyView(
            enabled: policy.enabled, verification: policy.verification.rawValue,
            maximumFailures: policy.maximumFailures, opensSessions: policy.opensSessions,
            version: access.tenant.version)
    }
}
