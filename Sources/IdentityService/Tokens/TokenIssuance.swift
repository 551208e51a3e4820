import AccessTokens
import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Postgres
public import TenureAPI

/// How the person of a session logged in, as values of RFC 8176. A device key is always proved.
struct AuthenticationMethods: Sendable, Equatable {
    /// A device key alone: after a registration or a recovery, where the secrets were chosen and not proved.
    static let device = AuthenticationMethods(values: ["pop"])
    /// A device key and the PIN of an M-Pin identity.
    static let mpin = AuthenticationMethods(values: ["pop", "pin", "mfa"])

    /// The values, in the order of the token's `amr`.
    let values: [String]

    /// A device key and a secret.
    static func credential(_ kind: FlowProof.Kind) -> AuthenticationMethods {
        switch kind {
        case .answers: AuthenticationMethods(values: ["pop", "kba", "mfa"])
        case .passphrase: AuthenticationMethods(values: ["pop", "pwd", "mfa"])
        }
    }
}

extension AuthenticationMethods {
    /// The values as the session's row has them, separated by spaces.
    var text: String { values.joined(separator: " ") }

    /// Reads the text of a row.
    init(text: String) { self.init(values: text.split(separator: " ").map(String.init)) }
}

/// A session as its access tokens describe it.
struct TokenSubject: Sendable {
    var tenant: UUID
    var session: UUID
    var employee: UUID
    /// The app that opened the session.
    var app: UUID
    /// The role that the session's device key carries.
    var role: EmployeeRole
    var methods: AuthenticationMethods
    /// When the person logged in.
    var loggedIn: Timestamp

    /// Signs a token for one audience.
    ///
    /// - Parameters:
    ///   - audience: The app's id, or one of its resources.
    ///   - end: When the token expires, rounded down to a second.
    func token(
        for audience: String, until end: Timestamp, at time: Timestamp, _ context: ServiceContext
    ) async throws -> String {
        let key = try await context.tokenKeys.signingKey(at: time)
        let claims = AccessTokenClaims(
            issuer: context.settings.tokenIssuer, subject: employee, audience: audience, expiresAt: end.wholeSeconds,
            issuedAt: time.wholeSeconds, id: UUID.random(), clientID: app, sessionID: session, tenantID: tenant,
            role: role.rawValue, methods: methods.values, authenticatedAt: loggedIn.wholeSeconds)
        return try key.sign(claims)
    }
}

extension Timestamp {
    /// The whole seconds since 1970, rounded down.
    var wholeSeconds: Int64 { Int64((Double(microseconds) / 1_000_000).rounded(.down)) }
}

extension EmployeeSnapshot {
    /// Returns the role of a session that this device key opened: `employee` unless the key carries the account's role.
    func sessionRole(of fingerprint: [UInt8], in tenant: TenantSnapshot) -> EmployeeRole {
        let carriesRole = state.roleKeys(in: tenant.state).contains {
            ServiceContext.fingerprint(of: $0) == fingerprint
        }
        return carriesRole ? tenant.state.role(of: id) : .employee
    }
}

/// Issues a token of the caller's session for one of the app's resources (RFC 8707).
///
/// The service itself refuses such a token, so a back end that receives it cannot act for the employee here.
public struct IssueResourceToken: UseCase {
    /// The employee.
    public let caller: EmployeeCaller
    /// The URI of the resource.
    public let resource: String

    /// Each parameter sets the property of the same name.
    public init(caller: EmployeeCaller, resource: String) {
        self.caller = caller
        self.resource = resource
    }

    /// Issues the token.
    ///
    /// - Throws: `token.resource_unknown` for a resource that the operator has not registered for the session's app.
    public func run(_ run: UseCaseRun<ResourceTokenResponse>) async throws -> ResourceTokenResponse {
        let context = run.context, time = run.call.time
        guard let session = try await context.session(caller.sessionId, of: caller.tenantId, at: time),
            session.isInForce, let app = session.row.app
        else { throw ServiceError(.sessionInvalid) }
        let loader = StateLoader(reader: context.reader)
        // Byte by byte: equal strings of Swift may differ in their Unicode form.
        guard resource.utf8.allSatisfy({ $0 < 0x80 }),
            try await loader.app(AppID(app)).state.resources.contains(resource)
        else { throw ServiceError(.tokenResourceUnknown) }
        let tenant = try await loader.tenant(TenantID(caller.tenantId))
        let employee = try await loader.employee(EmployeeID(caller.employeeId), in: tenant.id)
        let subject = TokenSubject(
            tenant: caller.tenantId, session: caller.sessionId, employee: caller.employeeId, app: app,
            role: employee.sessionRole(of: caller.fingerprint, in: tenant),
            methods: AuthenticationMethods(text: session.row.methods), loggedIn: session.row.createdAt)
        let expires = min(time.adding(context.settings.accessLifetime), session.row.end)
        return ResourceTokenResponse(
            accessToken: try await subject.token(for: resource, until: expires, at: time, context), expiresAt: expires)
    }
}
