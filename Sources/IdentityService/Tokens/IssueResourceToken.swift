import AccessTokens
import Canonical
import ErrorCodes
import EventCoding
import Identity
import Postgres
package import TenureAPI

/// Issues a token of the caller's session for one of the app's resources (RFC 8707).
///
/// The service itself refuses such a token, so a back end that receives it cannot act for the employee here.
package struct IssueResourceToken: UseCase {
    package let caller: EmployeeCaller
    package let resource: String

    package init(caller: EmployeeCaller, resource: String) {
        self.caller = caller
        self.resource = resource
    }

    /// Issues the token.
    ///
    /// - Throws: `token.resource_unknown` for a resource that the operator has not registered for the session's app.
    package func run(_ run: UseCaseRun<ResourceTokenResponse>) async throws -> ResourceTokenResponse {
        let context = run.context, time = run.call.time
        guard let session = try await context.session(caller.sessionId, of: caller.tenantId),
            session.isInForce, let app = session.row.app
        else { throw ServiceError(.sessionInvalid) }
        let log = try await SessionInLog.read(
            caller.sessionId, of: EmployeeID(caller.employeeId), in: TenantID(caller.tenantId), app: AppID(app), context
        ).log
        guard log.end(of: session.row) == nil else { throw ServiceError(.sessionInvalid) }
        // Byte by byte: equal strings of Swift may differ in their Unicode form.
        guard resource.utf8.allSatisfy({ $0 < 0x80 }), log.ground.opener?.resources.contains(resource) == true
        else { throw ServiceError(.tokenResourceUnknown) }
        let methods = AuthenticationMethods(text: session.row.methods)
        let subject = TokenSubject(
            tenant: caller.tenantId, session: caller.sessionId, employee: caller.employeeId, app: app,
            role: log.employee.sessionRole(of: caller.fingerprint, by: methods, in: log.tenant),
            methods: methods, loggedIn: session.row.createdAt)
        let expires = min(time.adding(context.settings.accessLifetime), log.longestEnd(of: session.row))
        return ResourceTokenResponse(
            accessToken: try await subject.token(for: resource, until: expires, at: time, context), expiresAt: expires)
    }
}
