import Canonical
import ErrorCodes
import EventCoding
public import FoundationEssentials
import Identity
import Ledger
import Postgres

/// Describes the caller, from the log itself.
public struct ReadMe: UseCase {
    /// The employee.
    public let caller: EmployeeCaller

    /// Each parameter sets the property of the same name.
    public init(caller: EmployeeCaller) { self.caller = caller }

    /// Describes the caller.
    public func run(_ run: UseCaseRun<MeView>) async throws -> MeView {
        let context = run.context
        let own = try await OwnAccount(of: caller, context)
        let (session, app) = try await session(context, at: run.call.time)
        let loaded = try await StateLoader(reader: context.reader).app(app)
        let tenant = own.tenant, employee = own.employee
        let role = employee.sessionRole(of: caller.fingerprint, in: tenant)
        return MeView(
            tenantId: caller.tenantId, employeeId: caller.employeeId,
            summary: try await context.summary(of: employee, in: tenant),
            emailVerified: try await isEmailVerified(employee, context), session: session, sessionRole: role.rawValue,
            appId: app.uuid,
            appName: loaded.state.name ?? "",
            notices: try await context.notices(for: employee.id, in: tenant.id, at: run.call.time))
    }

    /// Whether the user opened the link of a mail, or an admin of the tenant vouched for the address.
    private func isEmailVerified(_ employee: EmployeeSnapshot, _ context: ServiceContext) async throws -> Bool {
        guard let account = employee.state.account else { return false }
        let user = try await StateLoader(reader: context.reader).user(account.user).state
        return user.isEmailVerified || (user.holdsEmail && account.isEmailVerified)
    }

    private func session(_ context: ServiceContext, at time: Timestamp) async throws -> (SessionView, AppID) {
        guard let row = try await context.session(caller.sessionId, of: caller.tenantId, at: time)?.row,
            let app = row.app
        else { throw ServiceError(.sessionInvalid) }
        return (SessionView(row, isCurrent: true), AppID(app))
    }
}

/// The caller: the account, the session and the app that opened it.
public struct MeView: Sendable, Equatable {
    /// The tenant's id, which never changes.
    public var tenantId: UUID
    /// The account's id, which never changes.
    public var employeeId: UUID
    /// The names, the role and the status.
    public var summary: EmployeeSummary
    /// Whether it is verified that the owner of the account reads the mails to its address.
    public var emailVerified: Bool
    /// The caller's session.
    public var session: SessionView
    /// The role of the session: a device key that does not carry the account's role gives the role `employee`.
    public var sessionRole: String
    /// The app that opened the session.
    public var appId: UUID
    /// The name that the operator gave the app.
    public var appName: String
    /// Messages to the owner of the account.
    public var notices: [Notice]
}
