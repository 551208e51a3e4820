package import Canonical
import FoundationEssentials
package import Identity
import Keys
import Ledger
import Postgres

/// Who waits for an admin.
extension Views {
    /// Returns the newest keys that are pending at a time, newest first.
    ///
    /// - Parameter employees: Whose keys; `nil` for everybody's.
    package func newestPending(
        of tenant: TenantID, among employees: Set<EmployeeID>? = nil, limit: Int, at time: Timestamp
    ) async throws -> [PendingAuthorizationEntry] {
        let sql: SQL = """
            SELECT \(PendingAuthorizationRow.table.list("v")), \(EmployeeRow.table.list("e"))
            FROM tenure.pending_authorizations AS v LEFT JOIN tenure.employees AS e
                ON \(Self.live("e", .employees, tenant)) AND e.employee_id = v.employee_id
            WHERE \(Self.live("v", .pendingAuthorizations, tenant)) AND v.presented_at >= \(Self.oldest(at: time))
                \(Self.among(employees))
            ORDER BY v.presented_position DESC LIMIT \(Int64(limit))
            """
        return try await rows(sql, tenant) { columns in
            PendingAuthorizationEntry(
                authorization: try columns.next(PendingAuthorizationRow.self),
                employee: try columns.optional(EmployeeRow.self))
        }
    }

    /// Returns the newest employees who are registered and not approved.
    ///
    /// - Parameter employees: Those who are asked about; `nil` for all.
    package func unapproved(
        in tenant: TenantID, among employees: Set<EmployeeID>? = nil, limit: Int
    ) async throws -> [EmployeeRow] {
        let sql: SQL = """
            SELECT \(EmployeeRow.table.list("v")) FROM tenure.employees AS v
            WHERE \(Self.live("v", .employees, tenant)) AND v.status = 'registered'
                \(Self.among(employees))
            ORDER BY v.registered_position DESC LIMIT \(Int64(limit))
            """
        return try await rows(sql, tenant) { columns in try columns.next(EmployeeRow.self) }
    }

    /// Returns the employees who wait at a time, for their approval or for that of a device, and the users they belong
    /// to; the newest first.
    package func waitingPeople(
        in tenant: TenantID, limit: Int, at time: Timestamp
    ) async throws -> [(employee: EmployeeID, user: UserID)] {
        let sql: SQL = """
            SELECT v.employee_id, v.user_id FROM tenure.employees AS v
            WHERE \(Self.live("v", .employees, tenant)) AND (v.status = 'registered' OR v.employee_id IN (
                SELECT p.employee_id FROM tenure.pending_authorizations AS p
                WHERE \(Self.live("p", .pendingAuthorizations, tenant)) AND p.presented_at >= \(Self.oldest(at: time))))
            ORDER BY v.registered_position DESC LIMIT \(Int64(limit))
            """
        return try await pool.query(sql, in: [LedgerID(tenant.uuid)]).map { row in
            let (employee, user) = try row.decode(UUID.self, UUID.self)
            return (EmployeeID(employee), UserID(user))
        }
    }

    /// Returns those of some employees who ever had a device key in force.
    package func employeesWithDevices(_ ids: Set<EmployeeID>, in tenant: TenantID) async throws -> Set<EmployeeID> {
        let sql: SQL = """
            SELECT \(EmployeeKeyRow.table.list("v")) FROM tenure.employee_keys AS v
            WHERE \(Self.live("v", .employeeKeys, tenant)) AND v.employee_id = ANY (\(ids.map(\.uuid)))
                AND v.state IN ('authorized', 'revoked')
            """
        return Set(try await rows(sql, tenant) { columns in try columns.next(EmployeeKeyRow.self).employee })
    }

    /// Counts the pending keys, and the unapproved people without one, up to a number.
    package func countWaiting(in tenant: TenantID, most: Int, at time: Timestamp) async throws -> Int {
        let sql: SQL = """
            SELECT count(*) FROM (
                SELECT v.employee_id FROM tenure.pending_authorizations AS v
                WHERE \(Self.live("v", .pendingAuthorizations, tenant)) AND v.presented_at >= \(Self.oldest(at: time))
                UNION ALL
                SELECT e.employee_id FROM tenure.employees AS e
                WHERE \(Self.live("e", .employees, tenant)) AND e.status = 'registered' AND NOT EXISTS (
                    SELECT 1 FROM tenure.pending_authorizations AS p
                    WHERE \(Self.live("p", .pendingAuthorizations, tenant)) AND p.employee_id = e.employee_id
                        AND p.presented_at >= \(Self.oldest(at: time)))
                LIMIT \(Int64(most))) AS w
            """
        return Int(try await pool.query(sql, in: [LedgerID(tenant.uuid)]).first?.decode(Int64.self) ?? 0)
    }

    private static func among(_ employees: Set<EmployeeID>?) -> SQL {
        guard let employees else { return "" }
        return "AND v.employee_id = ANY (\(employees.map(\.uuid)))"
    }

    /// When the oldest key that is pending at a time was presented.
    private static func oldest(at time: Timestamp) -> PostgresTimestamp {
        PostgresTimestamp(time.adding(.zero - Employee.pendingLifetime))
    }
}
