public import Canonical
import FoundationEssentials
public import Identity
import Ledger
public import Postgres

/// Reads the views, for a pool of the application role: each statement sees one company and the live generation.
///
/// A view follows the log by a moment; ``wait(for:of:patience:)`` reads what was just written. Nothing that guards
/// access may be decided on a view.
public struct Views: Sendable {
    let pool: PostgresPool
    /// Makes the projector look now.
    let nudge: @Sendable () -> Void

    /// Reads over a pool of the application role.
    ///
    /// - Parameter nudge: Makes the projector look now: called while somebody waits.
    public init(pool: PostgresPool, nudge: @escaping @Sendable () -> Void = {}) {
        self.pool = pool
        self.nudge = nudge
    }

    /// Whether an event of this type may change a view. Others move their positions, and nobody hurries for those but
    /// who waits for one.
    public static func take(_ type: String) -> Bool { ReadModels.concern(type) }

    /// A company, or nil when nobody founded it.
    ///
    /// - Throws: `PostgresError`, and ``ProjectionError/Code/unreadable``; so do all reads.
    public func tenant(_ tenant: TenantID) async throws -> TenantRow? {
        let sql: SQL = """
            SELECT \(unsafeSQL: TenantRow.list("v")) FROM tenure.tenants AS v WHERE \(Self.live("v", .tenants, tenant))
            """
        return try await rows(sql, tenant) { columns in try TenantRow(&columns) }.first
    }

    /// An employee with keys, or nil when the company has none of that id.
    public func employee(_ employee: EmployeeID, in tenant: TenantID) async throws -> EmployeeWithKeys? {
        let sql: SQL = """
            SELECT \(unsafeSQL: EmployeeRow.list("v")), \(unsafeSQL: EmployeeKeyRow.list("k"))
            FROM tenure.employees AS v LEFT JOIN tenure.employee_keys AS k
                ON \(Self.live("k", .employeeKeys, tenant)) AND k.employee_id = v.employee_id
            WHERE \(Self.live("v", .employees, tenant)) AND v.employee_id = \(employee.uuid)
            ORDER BY k.presented_position
            """
        let pairs = try await rows(sql, tenant) { columns in
            (employee: try EmployeeRow(&columns), key: try columns.optional(EmployeeKeyRow.self))
        }
        return pairs.first.map { EmployeeWithKeys(employee: $0.employee, keys: pairs.compactMap(\.key)) }
    }

    /// Employees in the order of their registrations.
    ///
    /// - Parameters:
    ///   - position: Only those registered after it: the ``EmployeeRow/registeredPosition`` that the page before ended
    ///     with, or 0.
    ///   - limit: The greatest number of rows.
    public func employees(
        in tenant: TenantID, after position: Int64 = 0, limit: Int
    ) async throws -> [EmployeeRow] {
        let sql: SQL = """
            SELECT \(unsafeSQL: EmployeeRow.list("v")) FROM tenure.employees AS v
            WHERE \(Self.live("v", .employees, tenant)) AND v.registered_position > \(position)
            ORDER BY v.registered_position LIMIT \(Int64(max(limit, 0)))
            """
        return try await rows(sql, tenant) { columns in try EmployeeRow(&columns) }
    }

    /// Founder and security admin of a company with their proofs, or nil when nobody founded it.
    public func securityAdmin(of tenant: TenantID) async throws -> SecurityAdminEntry? {
        let sql: SQL = """
            SELECT \(unsafeSQL: SecurityAdminRow.list("v")), \(unsafeSQL: EmployeeRow.list("e"))
            FROM tenure.first_security_admins AS v LEFT JOIN tenure.employees AS e
                ON \(Self.live("e", .employees, tenant)) AND e.employee_id = v.current_employee_id
            WHERE \(Self.live("v", .firstSecurityAdmins, tenant))
            """
        return try await rows(sql, tenant) { columns in
            SecurityAdminEntry(
                admin: try SecurityAdminRow(&columns), employee: try columns.optional(EmployeeRow.self))
        }.first
    }

    /// The keys that wait at a time, in the order in which they were presented; those that waited too long are left out.
    ///
    /// - Parameters:
    ///   - position: Only those presented after it: the position of ``PendingAuthorizationRow/presented`` that the page
    ///     before ended with, or 0.
    ///   - limit: The greatest number of rows.
    public func pendingAuthorizations(
        of tenant: TenantID, after position: Int64 = 0, limit: Int, at time: Timestamp = .now()
    ) async throws -> [PendingAuthorizationEntry] {
        let oldest = PostgresTimestamp(time.adding(.zero - Employee.pendingLifetime))
        let sql: SQL = """
            SELECT \(unsafeSQL: PendingAuthorizationRow.list("v")), \(unsafeSQL: EmployeeRow.list("e"))
            FROM tenure.pending_authorizations AS v LEFT JOIN tenure.employees AS e
                ON \(Self.live("e", .employees, tenant)) AND e.employee_id = v.employee_id
            WHERE \(Self.live("v", .pendingAuthorizations, tenant)) AND v.presented_position > \(position)
                AND v.presented_at >= \(oldest)
            ORDER BY v.presented_position LIMIT \(Int64(max(limit, 0)))
            """
        return try await rows(sql, tenant) { columns in
            PendingAuthorizationEntry(
                authorization: try PendingAuthorizationRow(&columns),
                employee: try columns.optional(EmployeeRow.self))
        }
    }

    /// The condition on the rows of a company in the live generation of a view.
    static func live(_ alias: String, _ view: ProjectionName, _ tenant: TenantID) -> SQL {
        """
        \(unsafeSQL: alias).ledger_id = \(tenant.uuid) AND \(unsafeSQL: alias).generation = \
        (SELECT g.live FROM tenure.projection_generation AS g WHERE g.projection = \(view.rawValue))
        """
    }

    func rows<Value: Sendable>(
        _ sql: SQL, _ tenant: TenantID, _ read: (inout ColumnReader) throws -> Value
    ) async throws -> [Value] {
        try await pool.query(sql, in: [LedgerID(tenant.uuid)]).map { row in
            var columns = ColumnReader(row)
            return try read(&columns)
        }
    }
}
