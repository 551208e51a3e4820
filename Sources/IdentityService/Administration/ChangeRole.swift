import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Appoints or dismisses an admin, or makes an employee the security admin. An admin signs.
struct ChangeRole: Sendable {
    let context: ServiceContext

    func run(
        _ input: RoleInput, signed: SubmittedStatement?, caller: Caller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> Decision {
        guard case .employee = caller else { throw ServiceError(.authorizationNotPermitted) }
        let named = try Self.named(input.fingerprints)
        return try await optimistic {
            let access = try await context.access(input.company, caller, role: .authorization)
            let employee = try await context.employee(input.companyEmployeeId, in: access.tenant.id)
            let loggedInAt = try await loggedInAt(caller)
            let facts = Facts(
                employee: employee, access: access, named: named, loggedInAt: loggedInAt, time: call.time)
            // Refusals, and decisions that already hold, are reported before the caller is asked to sign.
            guard !(try decide(input.role, facts, statement: nil)).isEmpty else {
                return .done(try await context.summary(of: employee, in: access.tenant), position: nil)
            }
            let signing = StatementExchange(context: context, access: access)
            let common = try await signing.statementContext(at: call.time)
            let keys = try facts.target().roleKeys
            let verified: SignedStatement
            switch input.role {
            case .securityAdmin:
                let statement = try succession(to: employee, keys, access, common)
                guard let signed else { return .signatureRequired(statement: statement.bytes) }
                verified = try await signing.verify(signed, is: statement, at: call.time)
            case .admin, .employee:
                let isAppointment = input.role == .admin
                let statement = RoleStatement(
                    context: common, action: isAppointment ? .appoint : .dismiss, employee: employee.id.uuid,
                    role: EmployeeRole.admin.rawValue, reason: isAppointment ? "appointed" : "dismissed",
                    keys: isAppointment ? keys.map(\.description) : nil)
                guard let signed else { return .signatureRequired(statement: statement.bytes) }
                verified = try await signing.verify(signed, is: statement, at: call.time)
            }
            let events = try decide(input.role, facts, statement: verified)
            return try await append(events, employee, access, call, ticket)
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
    private func loggedInAt(_ caller: Caller) async throws -> Timestamp? {
        guard case .employee(let employee) = caller else { return nil }
        let stream = StreamID.session(employee.sessionId, in: TenantID(employee.tenantId))
        return try await context.reader.streams([stream])[stream]?.first?.time
    }

    private static func named(_ fingerprints: [String]?) throws(ServiceError) -> Set<KeyFingerprint>? {
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

    private func decide(
        _ role: RoleInput.Role, _ facts: Facts, statement: SignedStatement?
    ) throws(ServiceError) -> [TenantEvent] {
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
        _ events: [TenantEvent], _ employee: EmployeeSnapshot, _ access: CompanyAccess, _ call: Call,
        _ ticket: IdempotencyTicket?
    ) async throws -> Decision {
        var recorder = DecisionRecorder(context: context, access: access, call: call, ticket: ticket)
        // The role goes to the employee as judged here: a cancellation meanwhile is a version conflict.
        recorder.expectations[.employee(employee.id, in: access.tenant.id)] = employee.version
        recorder.statements += access.tenant.sessionEffects(of: events)
        var after = access.tenant
        for (offset, event) in events.enumerated() {
            try recorder.add(event.payload, to: .tenant(access.tenant.id), version: access.tenant.version, keys: [:])
            Tenant.evolve(
                &after.state,
                Recorded(
                    event, id: UUID(), time: call.time, position: .max, version: access.tenant.version + offset + 1))
        }
        return try await recorder.append(try await context.summary(of: employee, in: after))
    }
}
