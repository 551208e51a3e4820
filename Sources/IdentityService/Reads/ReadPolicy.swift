import Canonical
import FoundationEssentials
import Identity

/// The policy in force, from the log itself.
struct ReadPolicy: Sendable {
    let context: ServiceContext

    func run(_ company: String, caller: Caller) async throws -> PolicyView {
        let tenant = try await context.access(company, caller, role: .access).tenant
        let policy = tenant.state.policy
        return PolicyView(
            keyAuthorization: policy.keyAuthorization.rawValue, approval: policy.approval.rawValue,
            blindOnly: policy.blindOnly, questionsWithPassphrase: policy.questionsWithPassphrase,
            version: tenant.version)
    }
}
