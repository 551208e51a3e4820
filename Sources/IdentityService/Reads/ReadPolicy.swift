import Canonical
import FoundationEssentials
import Identity

/// The policy in force, from the log itself; for admins.
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
            version: tenant.version)
    }
}
