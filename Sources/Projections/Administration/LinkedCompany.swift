package import Canonical
import FoundationEssentials
package import Identity
package import Postgres

/// A tenant that an app is linked to.
package struct LinkedCompany: Sendable, Equatable {
    package var id: TenantID
    /// The name as first entered.
    package var companyName: String
    /// When the tenant was founded.
    package var foundedAt: Timestamp

    /// Reads the tenants of an app from the projection `tenants`, in the order of their foundation.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - time: The foundation of the last tenant of the page before; tenants of that moment are not repeated.
    ///   - limit: The number of tenants. More are returned if the last ones were founded at the same moment.
    ///   - pool: Connections of the reader role, which sees all tenants.
    /// - Throws: `PostgresError`.
    package static func page(
        of app: AppID, after time: Timestamp, limit: Int, _ pool: PostgresPool
    ) async throws -> [LinkedCompany] {
        let rows = try await pool.withConnection { connection in
            try await connection.query(query(of: app, after: time, limit: limit))
        }
        return try rows.map { row in
            let (id, name, founded) = try row.decode(UUID.self, String.self, PostgresTimestamp.self)
            return LinkedCompany(id: TenantID(id), companyName: name, foundedAt: Timestamp(postgres: founded))
        }
    }

    /// The statement of a page. It finds the tenants by the index `tenants_by_linked_app`.
    static func query(of app: AppID, after time: Timestamp, limit: Int) -> SQL {
        """
        SELECT v.ledger_id, v.company_name, v.founded_at FROM tenure.tenants AS v
        WHERE v.generation = (
            SELECT g.live FROM tenure.projection_generation AS g
            WHERE g.projection = \(ProjectionName.tenants.rawValue))
            AND v.founded_at > \(PostgresTimestamp(time)) AND v.linked_apps::jsonb ? \(app.uuid.lowercased)
        ORDER BY v.founded_at FETCH FIRST \(Int64(limit)) ROWS WITH TIES
        """
    }
}
