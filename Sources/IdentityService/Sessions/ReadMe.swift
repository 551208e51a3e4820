import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Postgres
package import TenureAPI

/// Describes the caller, from the log itself.
package struct ReadMe: UseCase {
    package let caller: EmployeeCaller

    package init(caller: EmployeeCaller) { self.caller = caller }

    package func run(_ run: UseCaseRun<MeResponse>) async throws -> MeResponse {
        let context = run.context
        let own = try await OwnAccount(of: caller, context)
        let (session, app, methods) = try await session(context)
        let loaded = try await StateLoader(reader: context.reader).app(app)
        let tenant = own.tenant, employee = own.employee
        let role = employee.sessionRole(of: caller.fingerprint, by: methods, in: tenant)
        let summary = try await context.summary(of: employee, in: tenant)
        return MeResponse(
            tenantId: caller.tenantId, employeeId: caller.employeeId, companyName: summary.companyName,
            companyEmployeeId: summary.companyEmployeeId, status: summary.status, role: summary.role,
            emailVerified: try await isEmailVerified(employee, context),
            session: MeResponse.Session(
                sessionId: session.sessionId, fingerprint: session.fingerprint, role: role.rawValue,
                createdAt: session.createdAt, expiresAt: session.expiresAt),
            app: MeResponse.App(appId: app.uuid, name: loaded.state.name ?? ""),
            notices: try await context.notices(for: employee.id, in: tenant.id, at: run.call.time))
    }

    /// Whether the user opened the link of a mail, or an admin of the tenant vouched for the address.
    private func isEmailVerified(_ employee: EmployeeSnapshot, _ context: ServiceContext) async throws -> Bool {
        guard let account = employee.state.account else { return false }
        let user = try await StateLoader(reader: context.reader).user(account.user).state
        return user.isEmailVerified || (user.holdsEmail && account.isEmailVerified)
    }

    private func session(
        _ context: ServiceContext
    ) async throws -> (OpenSessionResponse, AppID, AuthenticationMethods) {
        guard let row = try await context.session(caller.sessionId, of: caller.tenantId)?.row,
            let app = row.app
        else { throw ServiceError(.sessionInvalid) }
        return (OpenSessionResponse(row, isCurrent: true), AppID(app), AuthenticationMethods(text: row.methods))
    }
}
