import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The rows of recoveries that wait, for the list that admins see.
///
/// They decide nothing: an admin may open a recovery for a fingerprint that was read out and stands in no row, so that
/// whoever floods the list keeps nobody from recovering.
struct RecoveryRequests: Sendable {
    /// How many of one employee wait at a time; a newer one takes the place of the oldest.
    static let waitingLimit = 5
    /// How many a list shows.
    static let listLimit = 100
    /// How many are looked at for a list: rows of people who are not active are not shown, and are not to hide others.
    static let lookedAtLimit: Int64 = 2_000
    let context: ServiceContext

    /// One row.
    struct Row: Sendable {
        var employee: EmployeeID
        var fingerprint: Fingerprint
        var requestedAt: Timestamp
        var expiresAt: Timestamp
        var isOpen: Bool
    }

    /// Where a request is written.
    struct Place: Sendable, Equatable {
        var ledger: LedgerID
        var employee: UUID
        /// The fingerprint; for nobody what stands for it.
        var key: [UInt8]
    }

    /// The place of what a flow asks for: under the company, or for a name that nobody has under some directory.
    ///
    /// Many such names share one of 262,144 places, so that inventing names fills no disk although rows live as long as an
    /// employee's. Keyed digests say which, because the ids of a flow are shown: nobody can know which names share one, and
    /// two names never share a row, for whose lock the one would wait for the other. Both are made for everybody.
    static func place(of state: FlowState, _ fingerprint: Fingerprint, _ ring: KeyRing) -> Place {
        let user = state.userId.bytes
        let digest = ring.lookupDigest(kind: "recovery-place", user)
        let key = ring.lookupDigest(kind: "recovery-key", user + fingerprint.bytes)
        guard state.isDecoy else {
            return Place(ledger: LedgerID(state.tenantId), employee: state.employeeId, key: fingerprint.bytes)
        }
        let shared = UUID(uuid: (digest[0], digest[1], digest[2] & 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        return Place(ledger: .directory(digest[0]), employee: shared, key: key)
    }

    /// Writes a request, or makes it new again, and lets go of the oldest beyond the limit. What has expired is left to
    /// ``ExpiredRowSweeper``: how much there is in a company would tell that a request was for somebody of it.
    func put(_ place: Place, at time: Timestamp) async throws {
        let ledger = place.ledger, employee = place.employee, key = place.key, limit = Int64(Self.waitingLimit)
        let now = time.postgres, end = time.adding(User.recoveryLifetime).postgres
        try await context.pool.withTransaction(in: [ledger]) { connection in
            _ = try await connection.execute(
                """
                INSERT INTO tenure.recovery_request AS r
                    (ledger_id, employee_id, fingerprint, requested_at, expires_at)
                VALUES (\(ledger.uuid), \(employee), \(key), \(now), \(end))
                ON CONFLICT (ledger_id, employee_id, fingerprint) DO UPDATE
                SET requested_at = excluded.requested_at, expires_at = excluded.expires_at, is_open = false
                WHERE NOT r.is_open OR r.expires_at <= \(now)
                """)
            // What another request is deleting at the same time is left to that one, so that none waits for the other. The
            // inner query locks nothing: OFFSET with FOR UPDATE would lock the rows that stay as well, and another name in
            // this place would wait for them.
            _ = try await connection.execute(
                """
                DELETE FROM tenure.recovery_request WHERE ctid = ANY (ARRAY(
                    SELECT r.ctid FROM tenure.recovery_request AS r
                    WHERE r.ledger_id = \(ledger.uuid) AND r.employee_id = \(employee) AND NOT r.is_open
                        AND (r.fingerprint, r.requested_at) IN (
                            SELECT s.fingerprint, s.requested_at FROM tenure.recovery_request AS s
                            WHERE s.ledger_id = \(ledger.uuid) AND s.employee_id = \(employee) AND NOT s.is_open
                            ORDER BY s.requested_at DESC OFFSET \(limit))
                    FOR UPDATE OF r SKIP LOCKED))
                """)
        }
    }

    /// The statement that keeps a row as long as its recovery is open, for the transaction that opens it.
    static func opening(_ target: User.RecoveryTarget, until end: Timestamp, at time: Timestamp) -> SQL {
        """
        INSERT INTO tenure.recovery_request (ledger_id, employee_id, fingerprint, requested_at, expires_at, is_open)
        VALUES (\(target.tenant.uuid), \(target.employee.uuid), \(target.fingerprint.bytes), \(time.postgres),
            \(end.postgres), true)
        ON CONFLICT (ledger_id, employee_id, fingerprint) DO UPDATE
        SET expires_at = excluded.expires_at, is_open = true
        """
    }

    /// The statement that ends a row, for the transaction that ends its recovery.
    static func deletion(_ target: User.RecoveryTarget) -> SQL {
        """
        DELETE FROM tenure.recovery_request WHERE ledger_id = \(target.tenant.uuid)
            AND employee_id = \(target.employee.uuid) AND fingerprint = \(target.fingerprint.bytes)
        """
    }

    /// The rows of a company to look at, those that were opened first, then the newest first.
    func rows(of tenant: TenantID, at time: Timestamp) async throws -> [Row] {
        let now = time.postgres, limit = Self.lookedAtLimit
        let rows = try await context.pool.query(
            """
            SELECT employee_id, fingerprint, requested_at, expires_at, is_open FROM tenure.recovery_request
            WHERE ledger_id = \(tenant.uuid) AND expires_at > \(now)
            ORDER BY is_open DESC, requested_at DESC LIMIT \(limit)
            """, in: [LedgerID(tenant.uuid)])
        return try rows.compactMap { row in
            let (employee, key, requested, end, isOpen) = try row.decode(
                UUID.self, [UInt8].self, PostgresTimestamp.self, PostgresTimestamp.self, Bool.self)
            guard let fingerprint = Fingerprint(key) else { return nil }
            return Row(
                employee: EmployeeID(employee), fingerprint: fingerprint,
                requestedAt: Timestamp(microseconds: requested.microsecondsSinceUnixEpoch),
                expiresAt: Timestamp(microseconds: end.microsecondsSinceUnixEpoch), isOpen: isOpen)
        }
    }
}

extension User.Recovery {
    /// Account and key.
    var target: User.RecoveryTarget {
        User.RecoveryTarget(tenant: tenant, employee: employee, fingerprint: fingerprint)
    }

    /// The version of the company's stream of this recovery, which has its events a second time.
    var version: Int { confirmed == nil ? 1 : 2 }
}
