import Canonical
import Credentials
import ErrorCodes
import EventCoding
import Identity
import Ledger
package import TenureAPI

/// Appoints or dismisses an admin, or makes an employee the security admin. An admin signs.
package struct ChangeRole: CallerUseCase {
    /// The role, its keys, and an admin's signature in the second call.
    package let request: RoleRequest
    package let company: String
    package let companyEmployeeId: String
    /// The admin who decides. An app is refused.
    package let caller: Caller

    package init(_ request: RoleRequest, company: String, companyEmployeeId: String, caller: Caller) {
        self.request = request
        self.company = company
        self.companyEmployeeId = companyEmployeeId
        self.caller = caller
    }

    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        guard case .employee(let decider) = caller else { throw ServiceError(Denial.appMayNotDecide) }
        let named = try named(), context = run.context, time = run.call.time
        return try await run.decide(request.signed) {
            let access = try await context.access(company, caller, role: .authorization), tenant = access.tenant
            let employee = try await context.employee(companyEmployeeId, in: tenant.id)
            let loggedInAt = try await context.loggedInAt(decider)
            guard let target = Tenant.RoleTarget(employee.state, namedKeys: named) else {
                throw ServiceError(.employeeUnknown)
            }
            return SignedDecision(
                access: access, leaves: employee.leaves,
                decide: { decision in
                    let command: Tenant.Command =
                        switch request.role {
                        case .admin: .appointAdmin(target, decision)
                        case .employee: .dismissAdmin(target.employee, of: target.user, decision)
                        case .securityAdmin:
                            .succeedSecurityAdmin(target, loggedInAt: loggedInAt, at: time, decision)
                        }
                    return try Tenant.decided(tenant.state, command)
                },
                statement: { try statement($0, target, employee) },
                holding: { .done(try await context.summary(of: employee, in: tenant), position: nil) },
                record: { recorder, events, _ in try await record(events, about: employee, in: &recorder) })
        }
    }

    private func named() throws(ServiceError) -> Set<KeyFingerprint>? {
        guard let fingerprints = request.fingerprints else { return nil }
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

    private func statement(
        _ facts: StatementFacts, _ target: Tenant.RoleTarget, _ employee: EmployeeSnapshot
    ) throws -> any Statement {
        switch request.role {
        case .admin: facts.role(.appoint, target.employee, keys: target.roleKeys, reason: "appointed")
        case .employee: facts.role(.dismiss, target.employee, keys: nil, reason: "dismissed")
        case .securityAdmin: try succession(facts, target, employee)
        }
    }

    /// The statement for a succession. It names the successor's key that was presented first among those that are to
    /// carry the role.
    private func succession(
        _ facts: StatementFacts, _ target: Tenant.RoleTarget, _ employee: EmployeeSnapshot
    ) throws -> SuccessionStatement {
        let keys = employee.state.keys.values.filter { target.roleKeys.contains($0.fingerprint) }
        guard let key = keys.min(by: { $0.presented.position < $1.presented.position }),
            let statement = facts.succession(
                to: employee.id, try EmployeePublicKey(bytes: key.key.bytes), keys: target.roleKeys,
                reason: "succession")
        else { throw ServiceError(.authorizationUnknownKey) }
        return statement
    }

    private func record(
        _ events: [TenantEvent], about employee: EmployeeSnapshot, in recorder: inout DecisionRecorder<DecisionResponse>
    ) async throws -> DecisionResponse {
        let context = recorder.context, time = recorder.call.time
        var after = recorder.access.tenant
        // The role goes to the employee as judged here: a cancellation meanwhile is a version conflict.
        recorder.expectations[.employee(employee.id, in: after.id)] = employee.version
        recorder.statements += try await context.sessionEffects(of: events, in: after)
        try recorder.add(events)
        after.apply(events, at: time)
        if request.role != .employee,
            let mail = try await context.notice(
                .adminAppointed, about: employee, in: after.id, from: recorder.call.sourceAddress, at: time)
        {
            try recorder.queue(mail)
        }
        return try await recorder.append(try await context.summary(of: employee, in: after))
    }
}
