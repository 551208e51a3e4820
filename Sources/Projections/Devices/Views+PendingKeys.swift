import Canonical
import FoundationEssentials
public import Identity
import Ledger
import Postgres

extension Views {
    /// How many tenants share a transaction.
    private static let width = 200

    /// Waits until a tenant has a pending device key that was presented after a position, until a moment, or until the
    /// service shuts down. It does not return at once.
    ///
    /// All waiting callers of the process share one query, whichever tenants they wait in. The key may be decided when
    /// the caller reads it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func waitForPendingKey(
        of tenant: TenantID, after position: Int64, until deadline: ContinuousClock.Instant
    ) async throws {
        try await pendingKeys.wait(in: tenant, after: position, until: deadline)
    }

    /// The number of waiting callers in the Prometheus text format.
    public func metrics() async -> String {
        """
        # HELP tenure_waiting_callers Callers that wait for a pending device key.
        # TYPE tenure_waiting_callers gauge
        tenure_waiting_callers \(await pendingKeys.waiting)

        """
    }

    /// Returns the positions at which the newest pending keys of tenants were presented, by one transaction for 200 of
    /// them. Tenants without one are missing.
    static func newestPendingKeys(
        of tenants: Set<TenantID>, _ pool: PostgresPool, at time: Timestamp = .now()
    ) async throws -> [TenantID: Int64] {
        var newest: [TenantID: Int64] = [:]
        let tenants = Array(tenants)
        for start in stride(from: 0, to: tenants.count, by: width) {
            let part = tenants[start..<min(start + width, tenants.count)]
            let answers = try await pool.pipeline(
                part.map { newestPendingKey(of: $0, at: time) }, in: part.map { LedgerID($0.uuid) }, waits: false)
            for (tenant, rows) in zip(part, answers) { newest[tenant] = try rows.first?.decode(Int64.self) }
        }
        return newest
    }

    /// One ledger for each statement, so that the same plan serves all, on a distributed database too.
    private static func newestPendingKey(of tenant: TenantID, at time: Timestamp) -> SQL {
        let oldest = PostgresTimestamp(time.adding(.zero - Employee.pendingLifetime))
        return """
            SELECT v.presented_position FROM tenure.pending_authorizations AS v
            WHERE \(live("v", .pendingAuthorizations, tenant)) AND v.presented_at >= \(oldest)
            ORDER BY v.presented_position DESC LIMIT 1
            """
    }
}
