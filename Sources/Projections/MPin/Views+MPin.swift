import FoundationEssentials
public import Identity
import Postgres

extension Views {
    /// Returns a page of M-Pin identities in the order in which they first started, ended ones among them.
    ///
    /// - Parameters:
    ///   - position: The ``MPinIdentityRow/startedPosition`` of the last row of the page before, or 0.
    ///   - limit: The greatest number of rows.
    /// - Throws: `PostgresError`, and ``ProjectionError/Code/unreadable``.
    public func mpinIdentities(
        in tenant: TenantID, after position: Int64 = 0, limit: Int
    ) async throws -> [MPinIdentityEntry] {
        let sql: SQL = """
            SELECT \(unsafeSQL: MPinIdentityRow.list("v")), \(unsafeSQL: EmployeeRow.list("e"))
            FROM tenure.mpin_identities AS v LEFT JOIN tenure.employees AS e
                ON \(Self.live("e", .employees, tenant)) AND e.employee_id = v.employee_id
            WHERE \(Self.live("v", .mpinIdentities, tenant)) AND v.started_position > \(position)
            ORDER BY v.started_position LIMIT \(Int64(max(limit, 0)))
            """
        return try await rows(sql, tenant) { columns in
            MPinIdentityEntry(
                identity: try MPinIdentityRow(&columns), employee: try columns.optional(EmployeeRow.self))
        }
    }
}

/// An M-Pin identity, with the row of the employee whom it is linked to.
public struct MPinIdentityEntry: Sendable, Equatable {
    /// The identity.
    public var identity: MPinIdentityRow
    /// The employee, or `nil` if the identity is not linked, and while that projection lags.
    public var employee: EmployeeRow?
}
