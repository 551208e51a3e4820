package import Canonical
package import EventCoding
package import Identity
package import Keys
import Ledger
import Postgres

/// A row of the projection `mpin_identities`: an M-Pin identity.
package struct MPinIdentityRow: Sendable, Equatable {
    /// The status of an identity according to the log. Whether a registration has expired depends on the time.
    package enum Status: String, Sendable, Hashable, CaseIterable {
        /// Waits for verification.
        case started
        /// Is verified.
        case activated
        /// The client key was issued.
        case issued
        /// Authenticates.
        case registered
        /// Ended by wrong proofs.
        case blocked
        /// Ended by a decision, a rule or an erasure.
        case revoked
    }

    package var id: MPinIdentityID
    /// The user id, encrypted under the identity's own key.
    package var userID: SealedText
    /// The name of the device, encrypted under the identity's own key.
    package var deviceName: SealedText?
    /// How the identity is to be verified, as the policy said at the start.
    package var verification: MPinVerificationMode
    /// The status according to the log.
    package var status: Status
    /// The employee whom the identity is linked to.
    package var employee: EmployeeID?
    /// The number of consecutive wrong proofs.
    package var failures: Int32
    /// The time at which the registration last started.
    package var startedAt: Timestamp
    /// The position at which the registration first started.
    package var startedPosition: Int64
    /// The time at which an incomplete registration expires; `nil` once it is complete or has ended.
    package var expiresAt: Timestamp?
    /// The reason of the end as a code: that of the event, or `erased`.
    package var endReason: String?
    /// The position of the last event that changed the row.
    package var changedPosition: Int64

    /// Whether the registration has expired at a time. No event records that.
    package func isExpired(at time: Timestamp) -> Bool { expiresAt.map { time >= $0 } ?? false }

    /// The name of the status at a time: that of ``status``, or `expired`.
    package func statusName(at time: Timestamp) -> String { isExpired(at: time) ? "expired" : status.rawValue }
}

extension MPinIdentityRow: ViewRow {
    package static let table = RowTable<MPinIdentityRow>(
        "mpin_identities", MPinIdentityRow.init,
        Column(key: "identity_id", \.id), Column("user_id", \.userID), Column("device_name", \.deviceName),
        Column("verification", \.verification), Column("status", \.status), Column("employee_id", \.employee),
        Column("failures", \.failures), Column("started_at", \.startedAt),
        Column("started_position", \.startedPosition), Column("expires_at", \.expiresAt),
        Column("end_reason", \.endReason), Column("changed_position", \.changedPosition))

    var viewKey: MPinIdentityID { id }
}

extension MPinIdentityRow.Status: ColumnValue {}

/// The read model of `mpin_identities`. It follows the state that `MPinIdentity` folds.
struct MPinIdentitiesModel: ReadModel {
    static let name = ProjectionName.mpinIdentities
    static let revision: Int32 = 1
    static let tables: [any ViewRow.Type] = [MPinIdentityRow.self]

    var identities = ViewRows<MPinIdentityRow>()

    static let types = MPinIdentityEvent.payloads

    static func rows(touchedBy events: [ProjectedEvent], _ scope: ViewScope) -> [SQL] {
        let ids = events.filter { MPinIdentityEvent($0.payload) != nil }.map(\.recorded.stream.id)
        return [MPinIdentityRow.select(scope, "identity_id", Array(Set(ids)))]
    }

    mutating func load(_ results: [[PostgresRow]]) throws { try identities.load(results.first ?? []) }

    mutating func apply(_ event: ProjectedEvent) throws {
        guard let change = MPinIdentityEvent(event.payload) else { return }
        let id = MPinIdentityID(event.recorded.stream.id)
        if case .started(let payload) = change {
            guard identities[id] == nil else { return }
            identities[id] = try MPinIdentityRow(payload, event)
            return
        }
        // Nothing follows the end, except an erasure, which does not change how an identity ended.
        guard var row = identities[id], row.endReason == nil else { return }
        row.apply(change, at: event.time)
        row.changedPosition = event.position
        identities[id] = row
    }

    func changes(_ scope: ViewScope) -> [SQL] { identities.changes(scope) }

    func comparisons(_ scope: ViewScope) -> [(table: String, statement: SQL)] { [identities.comparison(scope)] }
}

extension MPinIdentityRow {
    fileprivate init(_ payload: MPinRegistrationStarted, _ event: ProjectedEvent) throws {
        self.init(
            id: MPinIdentityID(event.recorded.stream.id), userID: try event.sealedText("userId"),
            deviceName: try payload.deviceName.map { _ in try event.sealedText("deviceName") },
            verification: payload.verification, status: .started, employee: nil, failures: 0, startedAt: event.time,
            startedPosition: event.position, expiresAt: payload.expiresAt, endReason: nil,
            changedPosition: event.position)
    }

    /// Applies an event to the row of an identity that has not ended.
    fileprivate mutating func apply(_ event: MPinIdentityEvent, at time: Timestamp) {
        switch event {
        case .started: break
        case .restarted(let payload):
            status = .started
            startedAt = time
            expiresAt = payload.expiresAt
        case .linked(let payload): employee = payload.employeeID
        case .verified(let payload):
            status = .activated
            expiresAt = payload.issueUntil
        case .keyIssued: if status == .activated { status = .issued }
        case .registered:
            status = .registered
            expiresAt = nil
        case .authenticationFailed: failures += 1
        case .failuresCleared: failures = 0
        case .blocked(let payload): end(.blocked, payload.reason.rawValue)
        case .revoked(let payload): end(.revoked, payload.reason.rawValue)
        case .erased: end(.revoked, "erased")
        }
    }

    private mutating func end(_ status: Status, _ reason: String) {
        self.status = status
        expiresAt = nil
        endReason = reason
    }
}

extension Views {
    /// Returns a page of M-Pin identities in the order in which they first started, ended ones among them.
    ///
    /// - Parameters:
    ///   - position: The ``MPinIdentityRow/startedPosition`` of the last row of the page before, or 0.
    ///   - limit: The greatest number of rows.
    /// - Throws: `PostgresError`, and ``ProjectionError/Code/unreadable``.
    package func mpinIdentities(
        in tenant: TenantID, after position: Int64 = 0, limit: Int
    ) async throws -> [MPinIdentityEntry] {
        let sql: SQL = """
            SELECT \(MPinIdentityRow.table.list("v")), \(EmployeeRow.table.list("e"))
            FROM tenure.mpin_identities AS v LEFT JOIN tenure.employees AS e
                ON \(Self.live("e", .employees, tenant)) AND e.employee_id = v.employee_id
            WHERE \(Self.live("v", .mpinIdentities, tenant)) AND v.started_position > \(position)
            ORDER BY v.started_position LIMIT \(Int64(max(limit, 0)))
            """
        return try await rows(sql, tenant) { columns in
            MPinIdentityEntry(
                identity: try columns.next(MPinIdentityRow.self), employee: try columns.optional(EmployeeRow.self))
        }
    }
}

/// An M-Pin identity, with the row of the employee whom it is linked to.
package struct MPinIdentityEntry: Sendable, Equatable {
    package var identity: MPinIdentityRow
    /// The employee, or `nil` if the identity is not linked, and while that projection lags.
    package var employee: EmployeeRow?
}
