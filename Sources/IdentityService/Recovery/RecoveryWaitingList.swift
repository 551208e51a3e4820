import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
package import TenureAPI

/// The rows of requested recoveries, for the list that admins see.
///
/// The rows decide nothing: an admin may open a recovery for a fingerprint that was read out and is in no row. So
/// flooding the list cannot prevent a recovery.
struct RecoveryWaitingList: Sendable {
    /// The number of pending requests kept per employee. A newer one replaces the oldest.
    static let waitingLimit: Int64 = 5
    /// The number of recoveries that a list shows.
    static let listLimit = 100
    /// The number of rows read for a list. Rows of inactive employees are skipped, and must not crowd out others.
    static let lookedAtLimit: Int64 = 2_000
    let context: ServiceContext
    /// The number of requests for unknown names kept per app, whatever names an app invents. A newer one replaces the
    /// oldest.
    var decoyLimit: Int64 = 10_000

    /// One row.
    struct Row: CodedRow {
        var ledger: UUID
        var employee: UUID
        var fingerprint: KeyFingerprint
        var requestedAt: Timestamp
        var expiresAt: Timestamp
        var isOpen = false
        var code: [UInt8]?

        /// The time of the request is outside the code: it only sorts the list.
        static let table = RowTable<Row>(
            "recovery_request", Row.init,
            Column(key: "ledger_id", \.ledger), Column(key: "employee_id", \.employee),
            Column(key: "fingerprint", \.fingerprint), Column(outside: "requested_at", \.requestedAt),
            Column("expires_at", \.expiresAt), Column("is_open", \.isOpen), .code(\.code))
    }

    /// The place where a request is stored.
    struct Place: Sendable, Equatable {
        var ledger: LedgerID
        var employee: UUID
        var fingerprint: KeyFingerprint
        /// The rows of the app's requests for unknown names.
        var decoys: LedgerID

        /// The place of a flow's request: in the tenant's ledger, or for a decoy beside the app's other decoys, under
        /// the app's id. A name's decoy has the same user id in every flow, but no employee id.
        init(of state: FlowState, _ fingerprint: KeyFingerprint) {
            decoys = LedgerID(state.appId)
            ledger = state.isDecoy ? decoys : LedgerID(state.tenantId)
            employee = state.isDecoy ? state.userId : state.employeeId
            self.fingerprint = fingerprint
        }
    }

    /// Inserts or renews a request, and deletes the oldest beyond the limits, in one round trip.
    ///
    /// A request for an employee also looks for the app's oldest decoy, as a request for an unknown name does. Expired
    /// rows are left to ``ExpiredRowSweeper``: the time to delete a tenant's expired rows would reveal that a request
    /// was for one of its employees.
    func put(_ place: Place, at time: Timestamp) async throws {
        let statements = [
            insertion(place, at: time), deletion(beyondLimitOf: place), deletion(ofDecoysIn: place.decoys),
        ]
        _ = try await context.pool.pipeline(statements, in: [place.ledger, place.decoys])
    }

    private func insertion(_ place: Place, at time: Timestamp) -> SQL {
        let row = Row(
            ledger: place.ledger.uuid, employee: place.employee, fingerprint: place.fingerprint, requestedAt: time,
            expiresAt: time.adding(User.recoveryLifetime))
        return "\(row.replacement(context.ring)) WHERE NOT t.is_open OR t.expires_at <= \(time.postgres)"
    }

    /// The statement that deletes the oldest requests of the employee beyond ``waitingLimit``.
    ///
    /// Rows that another request is deleting are left to that request, so that neither waits for the other. The inner
    /// query locks nothing: OFFSET with FOR UPDATE would also lock the rows that stay.
    private func deletion(beyondLimitOf place: Place) -> SQL {
        let ledger = place.ledger.uuid, employee = place.employee
        return """
            DELETE FROM tenure.recovery_request
            WHERE ledger_id = \(ledger) AND employee_id = \(employee) AND fingerprint = ANY (ARRAY(
                SELECT r.fingerprint FROM tenure.recovery_request AS r
                WHERE r.ledger_id = \(ledger) AND r.employee_id = \(employee) AND NOT r.is_open
                    AND (r.fingerprint, r.requested_at) IN (
                        SELECT s.fingerprint, s.requested_at FROM tenure.recovery_request AS s
                        WHERE s.ledger_id = \(ledger) AND s.employee_id = \(employee) AND NOT s.is_open
                        ORDER BY s.requested_at DESC OFFSET \(Self.waitingLimit))
                FOR UPDATE OF r SKIP LOCKED))
            """
    }

    /// The statement that deletes the oldest of an app's decoys beyond ``decoyLimit``.
    ///
    /// It reads at most that many index entries and deletes at most a hundred rows. Concurrent requests may leave a few
    /// more rows until the next request.
    private func deletion(ofDecoysIn ledger: LedgerID) -> SQL {
        """
        WITH old AS MATERIALIZED (
            SELECT r.employee_id, r.fingerprint FROM tenure.recovery_request AS r
            WHERE r.ledger_id = \(ledger.uuid) AND NOT r.is_open AND r.requested_at < (
                SELECT s.requested_at FROM tenure.recovery_request AS s
                WHERE s.ledger_id = \(ledger.uuid) AND NOT s.is_open
                ORDER BY s.requested_at DESC OFFSET \(decoyLimit - 1) LIMIT 1)
            ORDER BY r.requested_at LIMIT 100 FOR UPDATE OF r SKIP LOCKED
        )
        DELETE FROM tenure.recovery_request AS d USING old
        WHERE d.ledger_id = \(ledger.uuid) AND d.employee_id = old.employee_id AND d.fingerprint = old.fingerprint
        """
    }

    /// The statement that keeps a row as long as its recovery is open, for the transaction that opens it.
    static func opening(
        _ target: User.RecoveryTarget, until end: Timestamp, at time: Timestamp, _ ring: KeyRing
    ) -> SQL {
        let row = Row(
            ledger: target.tenant.uuid, employee: target.employee.uuid, fingerprint: target.fingerprint,
            requestedAt: time, expiresAt: end, isOpen: true)
        return "\(row.insertion(ring)) \(Row.table.replacing(keepsOutside: true))"
    }

    /// The statement that deletes a row, for the transaction that ends its recovery.
    static func deletion(_ target: User.RecoveryTarget) -> SQL {
        """
        DELETE FROM tenure.recovery_request WHERE ledger_id = \(target.tenant.uuid)
            AND employee_id = \(target.employee.uuid) AND fingerprint = \(target.fingerprint.bytes)
        """
    }

    /// The rows of a tenant to look at: opened recoveries first, then the newest requests.
    func rows(of tenant: TenantID, at time: Timestamp) async throws -> [Row] {
        try await Row.all(
            in: tenant.uuid,
            where: """
                expires_at > \(time.postgres) ORDER BY is_open DESC, requested_at DESC LIMIT \(Self.lookedAtLimit)
                """, context)
    }
}

extension User.Recovery {
    /// The account and device key.
    var target: User.RecoveryTarget {
        User.RecoveryTarget(tenant: tenant, employee: employee, fingerprint: fingerprint)
    }
}

/// Lists the recoveries that a tenant's admins may open, confirm or cancel: at most a hundred, opened ones first.
///
/// The rows only say what to look up; the state of each recovery comes from the log.
package struct ListRecoveries: UseCase {
    package let company: String
    /// The employee who asks.
    package let caller: EmployeeCaller

    package init(company: String, caller: EmployeeCaller) {
        self.company = company
        self.caller = caller
    }

    /// Lists the recoveries, opened ones first.
    package func run(_ run: UseCaseRun<[RecoveryResponse]>) async throws -> [RecoveryResponse] {
        let context = run.context, time = run.call.time
        let access = try await context.access(company, .employee(caller), role: .authorization)
        let tenant = access.tenant
        let loader = StateLoader(reader: context.reader)
        var views: [RecoveryResponse] = []
        for row in try await RecoveryWaitingList(context: context).rows(of: tenant.id, at: time) {
            guard views.count < RecoveryWaitingList.listLimit else { break }
            let employee = try await loader.employee(EmployeeID(row.employee), in: tenant.id)
            guard let account = employee.state.account, account.status == .active else { continue }
            let user = try await loader.user(account.user)
            let target = User.RecoveryTarget(tenant: tenant.id, employee: employee.id, fingerprint: row.fingerprint)
            let recovery = user.state.openRecovery(at: time).flatMap { $0.isAbout(target) ? $0 : nil }
            // The recovery has ended, and its row is about to be deleted.
            guard recovery != nil || !row.isOpen else { continue }
            var opener: String?
            if let recovery { opener = try await context.opener(recovery, in: tenant.id) }
            views.append(
                RecoveryResponse(
                    employee: try await context.summary(of: employee, in: tenant),
                    subject: .init(
                        tenantId: tenant.id.uuid, userId: account.user.uuid, employeeId: employee.id.uuid),
                    fingerprint: row.fingerprint.description,
                    state: recovery.map { $0.confirmation == nil ? "opened" : "confirmed" } ?? "waiting",
                    requestedAt: row.requestedAt, expiresAt: recovery?.expiresAt ?? row.expiresAt, openedBy: opener,
                    availableAt: recovery?.availableAt, soleAdmin: recovery?.soleAdmin ?? false))
        }
        return views
    }
}
