import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Appoints or dismisses an admin, or makes an employee the security admin. An admin signs.
public struct ChangeRole: RepeatableUseCase {
    /// The three roles.
    public enum Role: String, Sendable, CaseIterable {
        /// An admin of the tenant.
        case admin
        /// The one security admin, in place of the present one.
        case securityAdmin
        /// An ordinary employee.
        case employee
    }
    /// The role.
    public let role: Role
    /// The tenant's name.
    public let company: String
    /// The employee id in that tenant.
    public let companyEmployeeId: String
    /// The fingerprints of the device keys that are to carry the role, as compared by the signer; `nil` for all vouched
    /// keys.
    public let fingerprints: [String]?
    /// The statement and an admin's signature over it, in the second call.
    public let signed: SubmittedStatement?
    /// The admin who decides. An app is refused.
    public let caller: Caller

    /// Each parameter sets the property of the same name.
    public init(
        _ role: Role, company: String, companyEmployeeId: String, fingerprints: [String]? = nil,
        signed: SubmittedStatement? = nil, caller: Caller
    ) {
        self.role = role
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.fingerprints = fingerprints
        self.signed = signed
        self.caller = caller
    }

    /// The caller.
    public func keyOwner(in context: ServiceContext) -> String? { caller.keyOwner }

    /// Makes the decision, or returns the statement to sign.
    public func run(_ run: UseCaseRun<Decision>) async throws -> Decision {
        guard case .employee(let decider) = caller else { throw ServiceError(.authorizationNotPermitted) }
        let named = try named(), context = run.context, time = run.call.time
        return try await optimistic {
            let access = try await context.access(company, caller, role: .authorization)
            let employee = try await context.employee(companyEmployeeId, in: access.tenant.id)
            let loggedInAt = try await loggedInAt(decider, context)
            let facts = Facts(employee: employee, access: access, named: named, loggedInAt: loggedInAt, time: time)
            // Refusals, and decisions that already hold, are reported before the caller is asked to sign.
            guard !(try decide(facts, statement: nil)).isEmpty else {
                return .done(try await context.summary(of: employee, in: access.tenant), position: nil)
            }
            let signing = StatementExchange(context: context, access: access)
            let common = try await signing.statementContext(at: time)
            let keys = try facts.target().roleKeys
            let verified: SignedStatement
            switch role {
            case .securityAdmin:
                let statement = try succession(to: employee, keys, access, common)
                guard let signed else { return .signatureRequired(statement: statement.bytes) }
                verified = try await signing.verify(signed, is: statement, at: time)
            case .admin, .employee:
                let isAppointment = role == .admin
                let statement = RoleStatement(
                    context: common, action: isAppointment ? .appoint : .dismiss, employee: employee.id.uuid,
                    role: EmployeeRole.admin.rawValue, reason: isAppointment ? "appointed" : "dismissed",
                    keys: isAppointment ? keys.map(\.description) : nil)
                guard let signed else { return .signatureRequired(statement: statement.bytes) }
                verified = try await signing.verify(signed, is: statement, at: time)
            }
            return try await append(try decide(facts, statement: verified), employee, access, run)
        }
    }

    /// The facts that a change of role is decided on.
    private struct Facts {
        let employee: EmployeeSnapshot
        let access: CompanyAccess
        let named: Set<KeyFingerprint>?
        let loggedInAt: Timestamp?
        let time: Timestamp

        func target() throws(ServiceError) -> Tenant.RoleTarget {
            guard let target = Tenant.RoleTarget(employee.state, namedKeys: named) else {
                throw ServiceError(.employeeUnknown)
            }
            return target
        }
    }

    /// When the caller's session was opened, read from the event that opened it.
    private func loggedInAt(_ caller: EmployeeCaller, _ context: ServiceContext) async throws -> Timestamp? {
        let stream = StreamID.session(caller.sessionId, in: TenantID(caller.tenantId))
        return try await context.reader.streams([stream])[stream]?.first?.time
    }

    private func named() throws(ServiceError) -> Set<KeyFingerprint>? {
        guard let fingerprints else { return nil }
        let keys = fingerprints.compactMap { KeyFingerprint(hex: $0.lowercased()) }
        guard keys.count == fingerprints.count, (1...32).contains(keys.count) else {
            throw ServiceError(
                .requestInvalid,
                members: [
                    .init(
                        pointer: "/fingerprints", detail: "1 to 32 fingerprints of 64 hexadecimal digits are expected")
                ])
        }
        return Set(keys)
    }

    private func decide(_ facts: Facts, statement: SignedStatement?) throws(ServiceError) -> [TenantEvent] {
        let target = try facts.target(), decision = try facts.access.decision(statement)
        let command: Tenant.Command =
            switch role {
            case .admin: .appointAdmin(target, decision)
            case .employee: .dismissAdmin(target.employee, of: target.user, decision)
            case .securityAdmin:
                .succeedSecurityAdmin(target, loggedInAt: facts.loggedInAt, at: facts.time, decision)
            }
        return try decided { () throws(Tenant.Rejection) in try Tenant.decide(facts.access.tenant.state, command) }
    }

    /// The statement for a succession. It names the successor's key that was presented first among those that are to
    /// carry the role.
    private func succession(
        to employee: EmployeeSnapshot, _ roleKeys: [KeyFingerprint], _ access: CompanyAccess, _ common: StatementContext
    ) throws -> SuccessionStatement {
        let keys = employee.state.keys.values.filter { roleKeys.contains($0.fingerprint) }
        guard let key = keys.min(by: { $0.presented.position < $1.presented.position }),
            let from = access.tenant.state.securityAdmin
        else { throw ServiceError(.authorizationUnknownKey) }
        return SuccessionStatement(
            context: common, from: from.uuid, to: employee.id.uuid,
            toKey: try EmployeePublicKey(bytes: key.key.bytes), reason: "succession",
            keys: roleKeys.map(\.description))
    }

    private func append(
        _ events: [TenantEvent], _ employee: EmployeeSnapshot, _ access: CompanyAccess, _ run: UseCaseRun<Decision>
    ) async throws -> Decision {
        var recorder = DecisionRecorder(access: access, run)
        // The role goes to the employee as judged here: a cancellation meanwhile is a version conflict.
        recorder.expectations[.employee(employee.id, in: access.tenant.id)] = employee.version
        recorder.statements += try await run.context.sessionEffects(of: events, in: access.tenant)
        var after = access.tenant
        for (offset, event) in events.enumerated() {
            try recorder.add(event.payload, to: .tenant(access.tenant.id), version: access.tenant.version, keys: [:])
            Tenant.evolve(
                &after.state,
                Recorded(
                    event, id: UUID(), time: run.call.time, position: .max,
                    version: access.tenant.version + offset + 1))
        }
        if role != .employee,
            let mail = try await run.context.notice(
                .adminAppointed, about: employee, in: access.tenant.id, at: run.call.time)
        {
            try recorder.queue(mail)
        }
        return try await recorder.append(try await run.context.summary(of: employee, in: after))
    }
}
