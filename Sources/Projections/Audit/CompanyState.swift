package import Canonical
package import Identity
package import Ledger

/// The projections of one tenant, built in memory from its ledger by the read models that the projector uses.
///
/// ```swift
/// var state = CompanyState()
/// for event in events { try state.apply(event) }        // `RecordedEvent`s of the tenant's ledger, from position 1 on
/// for employee in state.employees { print(employee.id, employee.status) }
/// ```
package struct CompanyState: Sendable {
    private var employeesModel = EmployeesModel()
    private var keysModel = EmployeeKeysModel()
    private var adminsModel = FirstSecurityAdminsModel()
    private var pendingModel = PendingAuthorizationsModel()
    private var tenantsModel = TenantsModel()
    private var mpinModel = MPinIdentitiesModel()
    private var mpinCodes = MPinActivations()

    /// The position of the last applied event, or 0 before the first.
    package private(set) var position: Int64 = 0
    /// The time of the last applied event.
    package private(set) var time: Timestamp?

    /// The state of a tenant before its founding.
    package init() {}

    /// Applies the next event of the ledger.
    ///
    /// - Throws: What decoding throws, also for an unknown type. The state is then unusable.
    package mutating func apply(_ event: RecordedEvent) throws {
        let projected = try ProjectedEvent(event)
        // The models are changed in place: a copy to fall back on would copy all rows with every event.
        try employeesModel.apply(projected)
        try keysModel.apply(projected)
        try adminsModel.apply(projected)
        try pendingModel.apply(projected)
        try tenantsModel.apply(projected)
        try mpinModel.apply(projected)
        try mpinCodes.apply(projected)
        position = event.position
        time = event.time
    }

    /// The tenant, or `nil` before its founding.
    package var tenant: TenantRow? { tenantsModel.tenants.rows.values.first }
    /// The founder and the security admin, with proofs.
    package var securityAdmin: SecurityAdminRow? { adminsModel.admins.rows.values.first }
    /// The employees in the order of registration.
    package var employees: [EmployeeRow] {
        employeesModel.employees.rows.values.sorted { $0.registeredPosition < $1.registeredPosition }
    }
    /// The device keys in the order in which they were presented.
    package var keys: [EmployeeKeyRow] {
        keysModel.keys.rows.values.sorted { $0.presented.position < $1.presented.position }
    }
    /// The pending device keys in the order in which they were presented. Some may have expired.
    package var pending: [PendingAuthorizationRow] {
        pendingModel.pending.rows.values.sorted { $0.presented.position < $1.presented.position }
    }
    /// The M-Pin identities in the order in which they first started. Some registrations may have expired.
    package var mpinIdentities: [MPinIdentityRow] {
        mpinModel.identities.rows.values.sorted { $0.startedPosition < $1.startedPosition }
    }
    /// The activation codes of M-Pin in the order in which they were issued. Some may have expired.
    package var mpinActivations: [MPinActivationEntry] {
        mpinCodes.entries.values.sorted { $0.position < $1.position }
    }

    func model(_ name: ProjectionName) -> (any ReadModel)? {
        let models: [any ReadModel] = [employeesModel, keysModel, adminsModel, pendingModel, tenantsModel, mpinModel]
        return models.first { type(of: $0).name == name }
    }
}

/// A difference between two states of a tenant.
package struct StateChange: Sendable, Equatable {
    package enum Subject: Sendable, Hashable {
        case company
        case employee(EmployeeID)
        case key(EmployeeID, PublicKeyBytes)
        /// An M-Pin identity, and the employee whom it is linked to.
        case mpinIdentity(MPinIdentityID, EmployeeID?)
        case mpinActivation(MPinActivationID)
    }

    package let subject: Subject
    /// The member that changed, as the API names it: `status`, `role`, `keyAuthorization` and so on.
    package let member: String
    /// The earlier value, or `nil` if there was none.
    package let before: String?
    /// The later value, or `nil` if there is none any more.
    package let after: String?
}

extension CompanyState {
    /// Returns the changes to a later state: of the tenant first, then of employees and keys in the order of
    /// registration, then of M-Pin identities and activation codes.
    ///
    /// - Parameters:
    ///   - later: A later state of the same tenant.
    ///   - times: The two moments, which decide whether a pending key, an M-Pin registration or an activation code
    ///     has expired.
    package func changes(to later: CompanyState, times: (Timestamp, Timestamp)) -> [StateChange] {
        var changes: [StateChange] = []
        func compare(_ subject: StateChange.Subject, _ before: [Member], _ after: [Member]) {
            let old = Dictionary(before.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
            let new = Dictionary(after.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
            let names = after.map(\.name) + before.map(\.name).filter { new[$0] == nil }
            for name in names where old[name] != new[name] {
                changes.append(StateChange(subject: subject, member: name, before: old[name], after: new[name]))
            }
        }
        compare(.company, companyMembers, later.companyMembers)
        let employeesBefore = Dictionary(employees.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for employee in later.employees {
            compare(
                .employee(employee.id), employeesBefore[employee.id].map(Self.members) ?? [], Self.members(employee))
        }
        let keysBefore = Dictionary(keys.map { ($0.viewKey, $0) }, uniquingKeysWith: { first, _ in first })
        for key in later.keys {
            let before = keysBefore[key.viewKey].map { [Member("state", $0.stateName(at: times.0))] } ?? []
            compare(.key(key.employee, key.key), before, [Member("state", key.stateName(at: times.1))])
        }
        let identitiesBefore = Dictionary(
            mpinIdentities.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for identity in later.mpinIdentities {
            compare(
                .mpinIdentity(identity.id, identity.employee),
                identitiesBefore[identity.id].map { Self.members($0, at: times.0) } ?? [],
                Self.members(identity, at: times.1))
        }
        for code in later.mpinActivations {
            let before = mpinCodes.entries[code.id].map { [Member("state", $0.stateName(at: times.0))] } ?? []
            compare(.mpinActivation(code.id), before, [Member("state", code.stateName(at: times.1))])
        }
        return changes
    }

    private struct Member {
        let name: String
        let value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    private static func members(_ employee: EmployeeRow) -> [Member] {
        var members = [Member("status", employee.status.rawValue), Member("role", employee.role.rawValue)]
        if employee.isReleased { members.append(Member("idReleased", "true")) }
        if employee.isEmailVerified { members.append(Member("emailVerified", "true")) }
        return members
    }

    private static func members(_ identity: MPinIdentityRow, at time: Timestamp) -> [Member] {
        var members = [Member("status", identity.statusName(at: time)), Member("failures", String(identity.failures))]
        if let employee = identity.employee { members.append(Member("employee", employee.description)) }
        if let reason = identity.endReason { members.append(Member("endReason", reason)) }
        return members
    }

    private var companyMembers: [Member] {
        guard let tenant else { return [] }
        var members = [
            Member("companyName", tenant.companyName), Member("securityAdmin", tenant.securityAdmin.description),
            Member("keyAuthorization", tenant.policy.keyAuthorization.rawValue),
            Member("approval", tenant.policy.approval.rawValue), Member("blindOnly", String(tenant.policy.blindOnly)),
            Member("questionsWithPassphrase", String(tenant.policy.questionsWithPassphrase)),
            Member("registrationMode", tenant.policy.registrationMode.rawValue),
            Member("recoveryDelayHours", String(tenant.policy.recoveryDelayHours)),
            Member("adminSessionHours", String(tenant.policy.adminSessionHours)),
            Member("logIn", tenant.policy.logIn.rawValue),
            Member("adminsNeedPasskey", String(tenant.policy.adminsNeedPasskey)),
            Member("clonedKey", tenant.policy.clonedKey.rawValue),
            Member("employees", String(tenant.employees)),
            Member("linkedApps", tenant.linkedApps.map(\.description).sorted().joined(separator: " ")),
        ]
        if let domain = tenant.confirmedDomain { members.append(Member("confirmedDomain", domain)) }
        return members
    }
}

/// Reads the state of a tenant at a past moment.
///
/// ```swift
/// let states = StateAt(reader: reader)
/// let (before, after) = try await states.company(tenant, from: .time(yesterday), to: .now)
/// let changes = before.changes(to: after, times: (yesterday, .now()))
/// ```
package struct StateAt: Sendable {
    /// The moment up to which a ledger is read.
    package enum Moment: Sendable, Hashable {
        /// The end of the ledger.
        case now
        /// An event, included.
        case position(Int64)
        /// A time: all events at or before it.
        case time(Timestamp)
    }

    private let reader: LedgerReader

    /// States read from ledgers with `reader`.
    package init(reader: LedgerReader) { self.reader = reader }

    /// Returns the states of a tenant at two moments, reading the ledger once. The later moment must not be before the
    /// earlier one.
    ///
    /// - Throws: As ``company(_:at:)``.
    package func company(
        _ tenant: TenantID, from: Moment, to: Moment
    ) async throws -> (before: CompanyState, after: CompanyState) {
        let before = try await company(tenant, at: from)
        let after = try await fold(tenant, onto: before, to: to)
        return (before, after)
    }

    /// Returns the state of a tenant at a moment. Its ``CompanyState/tenant`` is `nil` if the tenant was not founded
    /// then.
    ///
    /// - Throws: `LedgerError`, and what decoding throws, also for an unknown type.
    package func company(_ tenant: TenantID, at moment: Moment = .now) async throws -> CompanyState {
        try await fold(tenant, onto: CompanyState(), to: moment)
    }

    /// Returns a state continued to the end of the ledger.
    ///
    /// - Throws: As ``company(_:at:)``.
    package func company(_ tenant: TenantID, onto state: CompanyState) async throws -> CompanyState {
        try await fold(tenant, onto: state, to: .now)
    }

    /// Returns the first event of a tenant that cannot be read or applied, with the reason, or `nil` if there is none.
    ///
    /// - Throws: `LedgerError` if the ledger cannot be read at all.
    package func obstacle(in tenant: TenantID) async throws -> (position: Int64, reason: String)? {
        var state = CompanyState()
        var cursor: Int64 = 0
        while true {
            let page = try await reader.entries(of: LedgerID(tenant.uuid), after: cursor, limit: 500, without: [])
            for entry in page.entries {
                do { try state.apply(try entry.event()) } catch {
                    return (entry.position, DecodedEvents.Failure.reason(error))
                }
            }
            guard page.cursor < page.size else { return nil }
            cursor = page.cursor
        }
    }

    private func fold(_ tenant: TenantID, onto: CompanyState, to moment: Moment) async throws -> CompanyState {
        var state = onto
        while true {
            let page = try await reader.ledger(LedgerID(tenant.uuid), after: state.position)
            for event in page.events {
                guard moment.includes(event) else { return state }
                try state.apply(event)
            }
            guard page.hasMore else { return state }
        }
    }
}

extension StateAt.Moment {
    /// Whether an event is not after the moment. Within a ledger, all events that follow one after it are after it too.
    func includes(_ event: RecordedEvent) -> Bool {
        switch self {
        case .now: true
        case .position(let position): event.position <= position
        case .time(let time): event.time <= time
        }
    }
}
