import ErrorCodes
import EventCoding
import Identity
package import TenureAPI

/// Cancels the recovery that is open for the caller's own account. The key of the caller's session signs.
package struct CancelOwnRecovery: CallerUseCase {
    /// The statement and the signature over it, in the second call.
    package let signed: StatementSignature?
    /// The owner of the account.
    package let caller: EmployeeCaller

    package init(signed: StatementSignature? = nil, caller: EmployeeCaller) {
        self.signed = signed
        self.caller = caller
    }

    /// Cancels the recovery, or returns the statement to sign.
    ///
    /// - Throws: `recovery.unknown` if none is open, or if it is open for the person's account in another tenant.
    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let context = run.context
        let own = try await OwnAccount(of: caller, context), employee = own.employee
        guard let account = employee.state.account else { throw ServiceError(.recoveryUnknown) }
        let user = try await StateLoader(reader: context.reader).user(account.user)
        guard let recovery = user.state.openRecovery(at: run.call.time), recovery.tenant == own.tenant.id,
            recovery.employee == employee.id,
            let id = try await context.summary(of: employee, in: own.tenant).companyEmployeeId
        else { throw ServiceError(.recoveryUnknown) }
        return try await DecideRecovery(
            .cancel, company: own.name.entered, companyEmployeeId: id,
            fingerprint: recovery.fingerprint.description, reason: "owner", signed: signed, caller: caller
        ).run(run)
    }
}
