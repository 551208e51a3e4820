import Credentials
import ErrorCodes
import EventCoding
import Identity
package import TenureAPI

/// Revokes one of the caller's own device keys. The key that opened the session signs.
///
/// A session alone does not suffice: the thief of a token could otherwise lock the owner out of every device.
package struct RevokeDevice: CallerUseCase {
    /// The key's fingerprint in hexadecimal.
    package let fingerprint: String
    /// A code `[a-z0-9_.-]{1,64}`.
    package let reason: String
    /// The statement and its signature, in the second call.
    package let signed: StatementSignature?
    package let caller: EmployeeCaller

    package init(fingerprint: String, reason: String, signed: StatementSignature? = nil, caller: EmployeeCaller) {
        self.fingerprint = fingerprint
        self.reason = reason
        self.signed = signed
        self.caller = caller
    }

    /// Revokes the key, or returns the statement to sign.
    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let context = run.context, reason = try reasonCode(self.reason)
        return try await run.decide(signed) {
            let own = try await OwnDevices(of: caller, context)
            let tenant = own.access.tenant, employee = own.employee, key = try own.key(fingerprint)
            let isRevoked = key.status == .revoked
            guard isRevoked || key.status == .authorized else { throw ServiceError(.authorizationUnknownKey) }
            var revocation = SignedDecision<EmployeeEvent, DecisionResponse>(
                access: own.access, leaves: employee.leaves,
                decide: { decision in
                    guard !isRevoked else { return [] }
                    let end = Employee.EndKey(
                        key: key.key, reason: reason, decision: decision, tenant: tenant.state, time: run.call.time)
                    return try Employee.decided(employee.state, .revokeKey(end))
                },
                statement: { try await $0.key(.revoke, key, of: employee, reason: reason.text, context) },
                record: { recorder, events, _ in
                    try recorder.add(events, to: .employee(employee.id, in: tenant.id), version: employee.version)
                    if let fingerprint = KeyFingerprint(ServiceContext.fingerprint(of: key.key)) {
                        recorder.statements.append(
                            NewSession.deletion(employee: employee.id, tenant: tenant.id, fingerprint: fingerprint))
                    }
                    return try await recorder.append(try await context.summary(of: employee, in: tenant))
                })
            if isRevoked {
                revocation.holding = { .done(try await context.summary(of: employee, in: tenant), position: nil) }
            }
            return revocation
        }
    }
}
