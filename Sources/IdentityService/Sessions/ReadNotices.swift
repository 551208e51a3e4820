import Canonical
import ErrorCodes
import EventCoding
import Identity
package import TenureAPI

/// Reads the notices for the caller as the owner of the account.
package struct ReadNotices: UseCase {
    package let caller: EmployeeCaller

    package init(caller: EmployeeCaller) { self.caller = caller }

    /// Returns the notices; none if neither a recovery nor a return is open.
    package func run(_ run: UseCaseRun<[NoticeResponse]>) async throws -> [NoticeResponse] {
        try await run.context.notices(
            for: EmployeeID(caller.employeeId), in: TenantID(caller.tenantId), at: run.call.time)
    }
}

/// Builds the notices about a recovery, from the log itself.
///
/// Only sessions in the deciding tenant learn who opened it. A session elsewhere learns when, not where.
extension ServiceContext {
    /// Returns the notices for an employee's sessions; none if no recovery is open.
    func notices(for employee: EmployeeID, in tenant: TenantID, at time: Timestamp) async throws -> [NoticeResponse] {
        let loader = StateLoader(reader: reader)
        let snapshot = try await loader.employee(employee, in: tenant)
        guard let account = snapshot.state.account else { return [] }
        let company = try await loader.tenant(tenant)
        return try await notices(of: try await loader.user(account.user), in: tenant, at: time)
            + returnNotices(of: snapshot, in: company.state, at: time)
    }

    /// Returns the notices for a user's sessions in a tenant.
    func notices(of user: UserSnapshot, in tenant: TenantID, at time: Timestamp) async throws -> [NoticeResponse] {
        let lost = user.state.lostAddress(at: time)
        guard let recovery = user.state.openRecovery(at: time) else { return lost }
        let account = try await StateLoader(reader: reader).employee(recovery.employee, in: recovery.tenant)
        return lost + [
            NoticeResponse(
                type: NoticeResponse.recoveryOpened, openedAt: recovery.openedAt,
                openedBy: try await opener(recovery, in: tenant),
                availableAt: recovery.availableAt, cancelBefore: recovery.cancelBefore(account.state))
        ]
    }

    /// The notice for the user whose call has just cancelled a recovery.
    func cancellationNotice(_ recovery: User.Recovery, in tenant: TenantID) async throws -> NoticeResponse {
        NoticeResponse(
            type: NoticeResponse.recoveryCancelled, openedAt: recovery.openedAt,
            openedBy: try await opener(recovery, in: tenant))
    }

    /// The employee id of the admin who opened a recovery, for a session in the same tenant.
    func opener(_ recovery: User.Recovery, in tenant: TenantID) async throws -> String? {
        guard recovery.tenant == tenant, case .employee(let id, _) = recovery.openedBy else { return nil }
        let loader = StateLoader(reader: reader)
        return try await summary(of: loader.employee(id, in: tenant), in: loader.tenant(tenant)).companyEmployeeId
    }

    /// The delay of recoveries that a tenant opens at a time; a development service may shorten it.
    func recoveryDelay(of tenant: TenantSnapshot, at time: Timestamp) -> Duration {
        let own = Duration.seconds(tenant.state.recoveryDelayHours(at: time) * 3_600)
        return settings.recoveryDelay.map { min($0, own) } ?? own
    }
}

extension User.State {
    /// The notices that the address gave way or was changed, for 90 days.
    fileprivate func lostAddress(at time: Timestamp) -> [NoticeResponse] {
        func isRecent(_ event: Timestamp) -> Bool { time < event.adding(.seconds(90 * 86_400)) }
        var notices: [NoticeResponse] = []
        if let gaveWayAt, isRecent(gaveWayAt) {
            notices.append(NoticeResponse(type: NoticeResponse.emailGaveWay, openedAt: gaveWayAt))
        }
        if let change, isRecent(change.time) {
            notices.append(
                NoticeResponse(
                    type: NoticeResponse.emailChanged, openedAt: change.time, cancelBefore: change.undoUntil))
        }
        return notices
    }
}

extension NoticeResponse {
    /// The user's unconfirmed address belongs to somebody else now, who proved its mailbox.
    static let emailGaveWay = "email.gave_way"
    /// The user's address was changed by a signed decision of one of their accounts.
    static let emailChanged = "email.changed"
    /// A recovery of the user's credentials is open.
    static let recoveryOpened = "recovery.opened"
    /// This call cancelled the open recovery.
    static let recoveryCancelled = "recovery.cancelled"

    /// Whether the notice reports a cancellation.
    var isCancellation: Bool { type == Self.recoveryCancelled || type == Self.returnCancelled }
}

extension ServiceError {
    /// The refusal before a recovery is available. The same device may ask again later.
    static func notAvailable(_ recovery: User.Recovery, at time: Timestamp) -> ServiceError {
        var refusal = ServiceError(.recoveryNotAvailable)
        let wait = recovery.availableAt.duration(since: time).components
        refusal.availableAt = recovery.availableAt
        refusal.retryAfterSeconds = max(1, Int(wait.seconds) + (wait.attoseconds > 0 ? 1 : 0))
        return refusal
    }
}
