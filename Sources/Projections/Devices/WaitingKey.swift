import FoundationEssentials
package import Identity
import Ledger
import Postgres

/// A device key that somebody waits with for a decision.
package struct WaitingKey: Sendable, Hashable {
    package let tenant: TenantID
    package let employee: EmployeeID
    /// The SHA-256 of the key.
    package let fingerprint: [UInt8]

    package init(_ fingerprint: [UInt8], of employee: EmployeeID, in tenant: TenantID) {
        self.tenant = tenant
        self.employee = employee
        self.fingerprint = fingerprint
    }
}

extension Views {
    /// How many keys share a transaction.
    private static let width = 200

    /// Waits until a decision about a device key is newer than a position, until a moment, or until the service shuts
    /// down. It does not return at once.
    ///
    /// All waiting callers of the process share one query. Nothing is decided on what it finds.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func waitForDecision(
        about key: WaitingKey, after position: Int64, until deadline: ContinuousClock.Instant
    ) async throws {
        try await keyDecisions.wait(in: key, after: position, until: deadline)
    }

    /// Returns the positions of the last decisions about keys, by one transaction for 200 of them. Undecided keys are
    /// missing.
    static func decisions(about keys: Set<WaitingKey>, _ pool: PostgresPool) async throws -> [WaitingKey: Int64] {
        var newest: [WaitingKey: Int64] = [:]
        let keys = Array(keys)
        for start in stride(from: 0, to: keys.count, by: width) {
            let part = keys[start..<min(start + width, keys.count)]
            let ledgers = part.map { LedgerID($0.tenant.uuid) }
            let answers = try await pool.pipeline(part.map(decision), in: ledgers, waits: false)
            for (key, rows) in zip(part, answers) { newest[key] = try rows.first?.decode(Int64?.self) }
        }
        return newest
    }

    private static func decision(_ key: WaitingKey) -> SQL {
        """
        SELECT v.decided_position FROM tenure.employee_keys AS v
        WHERE \(live("v", .employeeKeys, key.tenant)) AND v.employee_id = \(key.employee.uuid)
            AND v.fingerprint = \(key.fingerprint)
        """
    }
}
