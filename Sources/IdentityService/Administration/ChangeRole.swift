import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// Appoints or dismisses an admin, or makes an employee the security admin in place of the present one; signed.
struct ChangeRole: Sendable {
    let context: ServiceContext

    func run(
        _ input: RoleInput, signed: SignedStatement?, caller: Caller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> Decision {
        guard case .employee = caller else { throw ServiceError(.authorizationNotPermitted) }
        return try await optimistic {
            let access = try await context.access(input.company, caller, role: .authorization)
            let employee = try await context.employee(input.companyEmployeeId, in: access.tenant.id)
            // What is refused or done already is told before anybody is asked to sign.
            guard !(try decide(input.role, employee, access, statement: nil)).isEmpty else {
                return .done(try await context.summary(of: employee, in: access.tenant), position: nil)
            }
            let signing = StatementSigning(context: context, access: access)
            let common = try await signing.statementContext(at: call.time)
            let verified: Identity.SignedStatement
            switch input.role {
            case .securityAdmin:
                let statement = try succession(to: employee, access, common)
                guard let signed else { return .signatureRequired(statement: statement.bytes) }
                verified = try await signing.verify(signed, is: statement, at: call.time)
            case .admin, .employee:
                let statement = RoleStatement(
                    context: common, action: input.role == .admin ? .appoint : .dismiss, employee: employee.id.uuid,
                    role: EmployeeRole.admin.rawValue, reason: input.role == .admin ? "appointed" : "dismissed")
                guard let signed else { return .signatureRequired(statement: statement.bytes) }
                verified = try await signing.verify(signed, is: statement, at: call.time)
            }
            let events = try decide(input.role, employee, access, statement: verified)
            return try await append(events, employee, access, call, ticket)
        }
    }

    private func decide(
        _ role: RoleInput.Role, _ employee: EmployeeSnapshot, _ access: CompanyAccess,
        statement: Identity.SignedStatement?
    ) throws(ServiceError) -> [TenantEvent] {
        let decision = Tenant.Decision(caller: access.decider, statement: statement)
        let status = employee.state.account?.status ?? .registered
        let command: Tenant.Command =
            switch role {
            case .admin: .appointAdmin(employee.id, status: status, decision)
            case .employee: .dismissAdmin(employee.id, decision)
            case .securityAdmin: .succeedSecurityAdmin(employee.id, status: status, decision)
            }
        return try decided { () throws(Tenant.Rejection) in try Tenant.decide(access.tenant.state, command) }
    }

    /// The statement names the follower's key that was authorized first among those in force.
    private func succession(
        to employee: EmployeeSnapshot, _ access: CompanyAccess, _ common: StatementContext
    ) throws -> SuccessionStatement {
        let authorized = employee.state.authorizedKeys
        let keys = employee.state.keys.values.filter { authorized.contains($0.key) }
        guard let key = keys.min(by: { $0.presented.position < $1.presented.position }),
            let from = access.tenant.state.securityAdmin
        else { throw ServiceError(.authorizationUnknownKey) }
        return SuccessionStatement(
            context: common, from: from.uuid, to: employee.id.uuid,
            toKey: try EmployeePublicKey(bytes: key.key.bytes), reason: "succession")
    }

    private func append(
        _ events: [TenantEvent], _ employee: EmployeeSnapshot, _ access: CompanyAccess, _ call: Call,
        _ ticket: IdempotencyTicket?
    ) async throws -> Decision {
        var recorder = DecisionRecorder(context: context, access: access, call: call, ticket: ticket)
        // A role goes to the employee as they were judged: not to one who is cancelled meanwhile.
        recorder.expectations[.employee(employee.id, in: access.tenant.id)] = employee.version
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
