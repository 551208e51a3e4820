import Canonical
import EventCoding
import Identity
import Keys
import Ledger

/// Mails that tell the owner of an account what was decided about it. Only a verified address gets one.
extension ServiceContext {
    /// The time for which a notice is worth sending: the shortest delay of a recovery is within it.
    static let noticeLifetime: Duration = .seconds(259_200)

    /// The notice of a decision about an employee; `nil` if the address is not verified, no mail can be sent, or the
    /// account has had its notices of this kind for the day.
    ///
    /// The mail is queued in the tenant's ledger, so it names the tenant. It never fails the decision: who cannot be
    /// told by mail sees the notice in the next session.
    func notice(
        _ kind: MailKind, about employee: EmployeeSnapshot, in tenant: TenantID, at time: Timestamp
    ) async throws -> QueuedMail? {
        guard mail != nil, let account = employee.state.account else { return nil }
        let user = try await StateLoader(reader: reader).user(account.user)
        guard user.state.holdsEmail, user.state.isEmailVerified || account.isEmailVerified else { return nil }
        let notice = QueuedMail(
            kind, to: .user(account.user), in: LedgerID(tenant.uuid), until: time.adding(Self.noticeLifetime), at: time)
        guard NoticeBudget.limits(kind) else { return notice }
        let budget = NoticeBudget(kind, about: employee.id, in: tenant, at: time, ring)
        return try await budget.isSpent(pool) ? nil : notice.counted(by: budget)
    }
}
