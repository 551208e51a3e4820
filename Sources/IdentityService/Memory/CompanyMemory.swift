import Identity
import Postgres

/// What this process remembers of companies: hints, which every use holds against the stream's head.
///
/// It is the same for everybody in a company. Only what an app that is linked asked for is remembered, and only to such an app
/// is it a hint: for others a company that they may not see takes as long as one that does not exist.
final class CompanyMemory: Sendable {
    /// How many companies are remembered at most.
    static let capacity = 1_024

    private let companies = Lock(Generations<TenantID, TenantSnapshot>(capacity: capacity))

    /// The company as it was when it was read last, for an app that was linked to it then.
    func recall(_ id: TenantID, for app: AppID) -> TenantSnapshot? {
        let tenant = companies.withLock { $0[id] }
        return tenant.flatMap { $0.state.linkedApps.contains(app) ? $0 : nil }
    }

    /// Remembers a company that an app asked for, if it may see it.
    func remember(_ tenant: TenantSnapshot, for app: AppID) {
        guard tenant.exists, tenant.state.linkedApps.contains(app) else { return }
        companies.withLock { $0.insert(tenant, for: tenant.id) }
    }

    /// Forgets what nobody asked for since the last call.
    func age() {
        // Freed outside of the lock.
        _ = companies.withLock { $0.age() }
    }
}
