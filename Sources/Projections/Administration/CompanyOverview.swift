package import Canonical
import FoundationEssentials
package import Identity
package import Postgres

/// A tenant in the operator's list, with counts.
package struct CompanyOverview: Sendable, Equatable {
    package var id: TenantID
    /// The tenant's name as first entered.
    package var companyName: String
    /// The time at which the founder registered.
    package var foundedAt: Timestamp
    /// How many employees are not cancelled.
    package var employees: Int64
    package var linkedApps: Int64
    /// The number of events in the tenant's ledger, which the projection may not have processed yet.
    package var events: Int64
    /// The confirmed domain in A-labels, if there is one.
    package var confirmedDomain: String?

    /// Reads all tenants from the projection `tenants`, in the order of their names.
    ///
    /// - Parameters:
    ///   - pool: Connections of the reader role, which sees all tenants.
    ///   - pageSize: The largest number of tenants per statement.
    /// - Throws: `PostgresError`.
    package static func all(_ pool: PostgresPool, pageSize: Int = 1_000) async throws -> [CompanyOverview] {
        var found: [CompanyOverview] = []
        while true {
            let page = try await page(pool, after: found.last?.id, limit: max(pageSize, 1))
            found += page
            guard page.count == max(pageSize, 1) else { break }
        }
        return found.sorted { ($0.companyName, $0.id.uuid.uuidString) < ($1.companyName, $1.id.uuid.uuidString) }
    }

    private static func page(_ pool: PostgresPool, after id: TenantID?, limit: Int) async throws -> [CompanyOverview] {
        let start: SQL = id.map { "AND v.ledger_id > \($0.uuid)" } ?? ""
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT v.ledger_id, v.company_name, v.founded_at, v.employees,
                    json_array_length(v.linked_apps)::bigint, l.size, v.confirmed_domain
                FROM tenure.tenants AS v JOIN tenure.ledger AS l ON l.ledger_id = v.ledger_id
                WHERE v.generation = (
                    SELECT g.live FROM tenure.projection_generation AS g
                    WHERE g.projection = \(ProjectionName.tenants.rawValue)) \(start)
                ORDER BY v.ledger_id LIMIT \(Int64(limit))
                """)
        }
        return try rows.map { row in
            let (id, name, founded, employees, apps, events, domain) = try row.decode(
                UUID.self, String.self, PostgresTimestamp.self, Int64.self, Int64.self, Int64.self, String?.self)
            return CompanyOverview(
                id: TenantID(id), companyName: name, foundedAt: Timestamp(postgres: founded), employees: employees,
                linkedApps: apps, events: events, confirmedDomain: domain)
        }
    }
}
