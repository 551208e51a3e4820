import Identity
import Postgres

/// What this process remembers of companies: hints, which every use holds against the stream's head.
///
/// It is the same for everybody in a company, so that it tells nobody who logged in lately.
final class CompanyMemory: Sendable {
    /// How many companies are remembered at most.
    static let capacity = 1_024

    private let companies = Lock(Generations<TenantID, TenantSnapshot>(capacity: capacity))

    /// The company as it was when it was read last.
    func recall(_ id: TenantID) -> TenantSnapshot? { companies.withLock { $0[id] } }

    /// Remembers a company that exists.
    func remember(_ tenant: TenantSnapshot) {
        guard tenant.exists else { return }
        companies.withLock { $0.insert(tenant, for: tenant.id) }
    }

    /// Forgets what nobody asked for since the last call.
    func age() { companies.withLock { $0.age() } }
}
