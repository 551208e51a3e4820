import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// Revokes a device key of the caller's own, signed by the key that opened the session.
///
/// A session alone is not enough: who stole a token could otherwise lock its owner out of every device.
struct RevokeDevice: Sendable {
    let context: ServiceContext

    func run(
        _ input: DeviceRevocationInput, caller: EmployeeCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> Decision {
        guard let reason = ReasonCode(input.reason) else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/reason", detail: "1 to 64 of a-z, 0-9, point, underscore, hyphen")])
        }
        return try await optimistic {
            let own = try await OwnDevices(of: caller, context)
            let access = own.access, employee = own.employee
            let key = try own.key(input.fingerprint)
            if key.status == .revoked {
                return .done(try await context.summary(of: employee, in: access.tenant), position: nil)
            }
            guard key.status == .authorized else { throw ServiceError(.authorizationUnknownKey) }
            let signing = StatementSigning(context: context, access: access)
            let statement = try await KeyStatements(context: context).statement(
                .revoke, key, of: employee, reason: reason.text, tenant: access.tenant,
                try await signing.statementContext(at: call.time))
            guard let signed = input.signed else { return .signatureRequired(statement: statement.bytes) }
            let decision = Employee.KeyDecision(
                caller: access.decider, statement: try await signing.verify(signed, is: statement, at: call.time))
            let events = try decided { () throws(Employee.Rejection) in
                try Employee.decide(
                    employee.state,
                    .revokeOwnKey(
                        Employee.EndKey(
                            key: key.key, reason: reason, decision: decision, policy: access.tenant.state.policy,
                            time: call.time)))
            }
            return try await append(events, own, key, call, ticket)
        }
    }

    /// The key ends and its sessions with it, in one transaction.
    private func append(
        _ events: [EmployeeEvent], _ own: OwnDevices, _ key: Employee.Key, _ call: Call, _ ticket: IdempotencyTicket?
    ) async throws -> Decision {
        let tenant = own.access.tenant.id, employee = own.employee
        var recorder = DecisionRecorder(context: context, access: own.access, call: call, ticket: ticket)
        for event in events {
            try recorder.add(
                event.payload, to: .employee(employee.id, in: tenant), version: employee.version, keys: [:])
        }
        if let fingerprint = Fingerprint(ServiceContext.fingerprint(of: key.key)) {
            recorder.statements.append(
                OpenedSession.deletion(employee: employee.id, tenant: tenant, fingerprint: fingerprint))
        }
        return try await recorder.append(try await context.summary(of: employee, in: own.access.tenant))
    }
}
