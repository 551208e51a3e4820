package import Canonical
import FoundationEssentials
package import Identity
import Keys
import Ledger
package import Postgres

/// Reads the projections over a pool of the application role. Each statement sees one tenant and the live generation.
///
/// ```swift
/// let views = Views(pool: pool, nudge: { projector.nudge() })
/// let isCurrent = try await views.wait(for: position, of: tenant)        // of an ``AppendReceipt``
/// let page = try await views.employees(in: tenant, limit: 100)
/// let next = try await views.employees(in: tenant, after: page.last?.registeredPosition ?? 0, limit: 100)
/// ```
///
/// A projection lags the log by a moment; ``wait(for:of:patience:)`` waits for what was just written. No security
/// decision may read a projection.
package struct Views: Sendable {
    let pool: PostgresPool
    let watch: PositionWatch
    let pendingKeys: PendingKeyWatch
    let keyDecisions: KeyDecisionWatch

    /// The projections, read over a pool of the application role.
    ///
    /// - Parameter nudge: Makes the projector poll now. It is called while a reader waits.
    package init(pool: PostgresPool, nudge: @escaping @Sendable () -> Void = {}) {
        self.pool = pool
        watch = PositionWatch(read: { try await Self.position(of: $0, pool) }, nudge: nudge)
        pendingKeys = PendingKeyWatch { try await Self.newestPendingKeys(of: $0, pool) }
        keyDecisions = KeyDecisionWatch { try await Self.decisions(about: $0, pool) }
    }

    /// Whether an event of this type may change a projection. Other events only move positions, which is urgent only
    /// for readers that wait for one.
    package static func take(_ type: String) -> Bool { ReadModels.concern(type) }

    /// Returns a tenant, or `nil` if it was not founded.
    ///
    /// - Throws: `PostgresError`, and ``ProjectionError/Code/unreadable``; so do all reads.
    package func tenant(_ tenant: TenantID) async throws -> TenantRow? {
        let sql: SQL = """
            SELECT \(TenantRow.table.list("v")) FROM tenure.tenants AS v WHERE \(Self.live("v", .tenants, tenant))
            """
        return try await rows(sql, tenant) { columns in try columns.next(TenantRow.self) }.first
    }

    /// Returns an employee with device keys, or `nil` if the tenant has none of that id.
    package func employee(_ employee: EmployeeID, in tenant: TenantID) async throws -> EmployeeWithKeys? {
        let sql: SQL = """
            SELECT \(EmployeeRow.table.list("v")), \(EmployeeKeyRow.table.list("k"))
            FROM tenure.employees AS v LEFT JOIN tenure.employee_keys AS k
                ON \(Self.live("k", .employeeKeys, tenant)) AND k.employee_id = v.employee_id
            WHERE \(Self.live("v", .employees, tenant)) AND v.employee_id = \(employee.uuid)
            ORDER BY k.presented_position
            """
        let pairs = try await rows(sql, tenant) { columns in
            (employee: try columns.next(EmployeeRow.self), key: try columns.optional(EmployeeKeyRow.self))
        }
        return pairs.first.map { EmployeeWithKeys(employee: $0.employee, keys: pairs.compactMap(\.key)) }
    }

    /// Returns a page of employees in the order of registration.
    ///
    /// - Parameters:
    ///   - position: The ``EmployeeRow/registeredPosition`` of the last row of the page before, or 0.
    ///   - limit: The greatest number of rows.
    package func employees(
        in tenant: TenantID, after position: Int64 = 0, limit: Int
    ) async throws -> [EmployeeRow] {
        let sql: SQL = """
            SELECT \(EmployeeRow.table.list("v")) FROM tenure.employees AS v
            WHERE \(Self.live("v", .employees, tenant)) AND v.registered_position > \(position)
            ORDER BY v.registered_position LIMIT \(Int64(max(limit, 0)))
            """
        return try await rows(sql, tenant) { columns in try columns.next(EmployeeRow.self) }
    }

    /// Returns the founder and the security admin of a tenant with their proofs, or `nil` if it was not founded.
    package func securityAdmin(of tenant: TenantID) async throws -> SecurityAdminEntry? {
        let sql: SQL = """
            SELECT \(SecurityAdminRow.table.list("v")), \(EmployeeRow.table.list("e"))
            FROM tenure.first_security_admins AS v LEFT JOIN tenure.employees AS e
                ON \(Self.live("e", .employees, tenant)) AND e.employee_id = v.current_employee_id
            WHERE \(Self.live("v", .firstSecurityAdmins, tenant))
            """
        return try await rows(sql, tenant) { columns in
            SecurityAdminEntry(
                admin: try columns.next(SecurityAdminRow.self), employee: try columns.optional(EmployeeRow.self))
        }.first
    }

    /// Returns a page of the keys pending at a time, in the order in which they were presented. Expired keys are
    /// omitted.
    ///
    /// - Parameters:
    ///   - position: The position of ``PendingAuthorizationRow/presented`` of the last row of the page before, or 0.
    ///   - limit: The greatest number of rows.
    package func pendingAuthorizations(
        of tenant: TenantID, after position: Int64 = 0, limit: Int, at time: Timestamp = .now()
    ) async throws -> [PendingAuthorizationEntry] {
        let oldest = PostgresTimestamp(time.adding(.zero - Employee.pendingLifetime))
        let sql: SQL = """
            SELECT \(PendingAuthorizationRow.table.list("v")), \(EmployeeRow.table.list("e"))
            FROM tenure.pending_authorizations AS v LEFT JOIN tenure.employees AS e
                ON \(Self.live("e", .employees, tenant)) AND e.employee_id = v.employee_id
            WHERE \(Self.live("v", .pendingAuthorizations, tenant)) AND v.presented_position > \(position)
                AND v.presented_at >= \(oldest)
            ORDER BY v.presented_position LIMIT \(Int64(max(limit, 0)))
            """
        return try await rows(sql, tenant) { columns in
            PendingAuthorizationEntry(
                authorization: try columns.next(PendingAuthorizationRow.self),
                employee: try columns.optional(EmployeeRow.self))
        }
    }

    /// The condition that selects a tenant's rows in the live generation of a projection.
    static func live(_ alias: String, _ view: ProjectionName, _ tenant: TenantID) -> SQL {
        """
        \(unsafeSQL: alias).ledger_id = \(tenant.uuid) AND \(unsafeSQL: alias).generation = \
        (SELECT g.live FROM tenure.projection_generation AS g WHERE g.projection = \(view.rawValue))
        """
    }

    func rows<Value: Sendable>(
        _ sql: SQL, _ tenant: TenantID, _ read: (inout ColumnReader) throws -> Value
    ) async throws -> [Value] {
        try await Self.rows(sql, tenant, pool, read)
    }

    static func rows<Value: Sendable>(
        _ sql: SQL, _ tenant: TenantID, _ pool: PostgresPool, _ read: (inout ColumnReader) throws -> Value
    ) async throws -> [Value] {
        try await pool.query(sql, in: [LedgerID(tenant.uuid)]).map { row in
            try ProjectionError.reading(row, read)
        }
    }
}

extension Views {
    /// Returns the position in the tenant's ledger that all projections have reached, or 0 before they have read
    /// anything.
    package func position(of tenant: TenantID) async throws -> Int64 {
        try await Self.position(of: tenant, pool)
    }

    /// Waits until all projections have reached a position, so that a reader sees its own writes.
    ///
    /// All readers that wait for a tenant share the queries.
    ///
    /// - Returns: `false` if they did not reach it within `patience`: they lag, or one of them has stopped.
    package func wait(
        for position: Int64, of tenant: TenantID, patience: Duration = .seconds(2)
    ) async throws -> Bool {
        try await watch.wait(for: position, of: tenant, patience: patience)
    }

    /// Reads the position of a tenant's projections in one query.
    static func position(of tenant: TenantID, _ pool: PostgresPool) async throws -> Int64 {
        // A projection without a row has read nothing and counts as 0.
        let sql: SQL = """
            SELECT coalesce(min(coalesce(p.position, 0)), 0)
            FROM tenure.projection_generation AS g LEFT JOIN tenure.projection_progress AS p
                ON p.ledger_id = \(tenant.uuid) AND p.projection = g.projection AND p.generation = g.live
            """
        return try await rows(sql, tenant, pool) { columns in try columns.next(Int64.self) }.first ?? 0
    }
}

/// An employee with the device keys, in the order in which they were presented.
package struct EmployeeWithKeys: Sendable, Equatable {
    package var employee: EmployeeRow
    /// The device keys, earliest presented first.
    package var keys: [EmployeeKeyRow]
}

/// The security admin of a tenant, with the employee's own row.
package struct SecurityAdminEntry: Sendable, Equatable {
    /// The founder and the present security admin, with proofs.
    package var admin: SecurityAdminRow
    /// The present security admin, or `nil` only while that projection lags.
    package var employee: EmployeeRow?
}

/// A pending device key, with the employee's row.
package struct PendingAuthorizationEntry: Sendable, Equatable {
    package var authorization: PendingAuthorizationRow
    /// The employee, or `nil` only while that projection lags.
    package var employee: EmployeeRow?
}
