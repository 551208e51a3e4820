import Canonical
import Credentials
import Crypto
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Ledger
package import TenureAPI

/// The stored digest of an app's secret: SHA-256 of tag and text. A secret has 256 random bits, so it needs no
/// stretching.
enum AppSecretDigest {
    static func digest(of secret: String) -> [UInt8] {
        Array(SHA256.hash(data: Array("tenure/v1/app-secret\n".utf8) + Array(secret.utf8)))
    }
}

/// Authenticates an app by one of its secrets, from the log itself, so that a revocation takes effect with its event.
package struct AuthenticateApp: UseCase, Redacted {
    package let appId: String
    /// The secret that the app presented.
    package let secret: String

    package init(appId: String, secret: String) {
        self.appId = appId
        self.secret = secret
    }

    /// Returns the app.
    ///
    /// - Throws: `app.unknown` or `app.secret_invalid`.
    package func run(_ run: UseCaseRun<AppCaller>) async throws -> AppCaller {
        guard let id = AppID(entered: appId) else { throw ServiceError(.appUnknown) }
        let app = try await StateLoader(reader: run.context.reader).app(id)
        if app.state.id != nil { RequestNotes.note { $0.app = id.uuid } }
        return try AppCaller(app, presenting: secret)
    }
}

extension AppCaller {
    /// The app that presents a secret.
    ///
    /// - Throws: `app.unknown` or `app.secret_invalid`.
    init(_ app: AppSnapshot, presenting secret: String) throws(ServiceError) {
        let state = app.state
        guard state.id != nil, let salt = state.salt else { throw ServiceError(.appUnknown) }
        guard let digest = Bytes32(AppSecretDigest.digest(of: secret)), let known = state.secret(digest: digest) else {
            throw ServiceError(.appSecretInvalid)
        }
        self.init(
            appId: app.id.uuid, secretId: known.id.uuid, roles: Set(known.roles.roles.map(AppLinkRequest.Role.init)),
            customQuestions: state.customQuestions, isPagesApp: state.isPagesApp,
            presented: PresentedSecret(secret: Array(secret.utf8), salt: salt.bytes))
    }
}

/// Links an app to a tenant with some roles, or unlinks it. The security admin signs.
package struct LinkApp: CallerUseCase {
    /// What is to become of a link.
    package enum Change: Sendable, Equatable {
        /// Link the app in these roles. `nil` keeps the roles of an existing link, and gives a new one ACCESS, CREATION
        /// and AUTHORIZATION.
        case link(roles: Set<AppLinkRequest.Role>?)
        case unlink
    }

    package let appId: String
    package let company: String
    /// What is to become of the link.
    package let change: Change
    /// The statement and the security admin's signature over it, in the second call.
    package let signed: StatementSignature?
    /// The security admin, who decides. An app is refused.
    package let caller: Caller

    package init(
        appId: String, company: String, _ change: Change, signed: StatementSignature? = nil, caller: Caller
    ) {
        self.appId = appId
        self.company = company
        self.change = change
        self.signed = signed
        self.caller = caller
    }

    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        guard case .employee = caller else { throw ServiceError(Denial.appMayNotDecide) }
        let context = run.context
        guard let app = AppID(entered: appId) else { throw unknownApp }
        let named = try namedRoles()
        return try await run.decide(signed) {
            let access = try await context.access(company, caller, role: .authorization), tenant = access.tenant
            let known = try await StateLoader(reader: context.reader).app(app).state
            guard known.id != nil || (known.isEnded && change == .unlink) else { throw unknownApp }
            let link = tenant.state.links[app]
            let wanted = change == .unlink ? nil : named ?? link ?? .usual
            return SignedDecision(
                access: access,
                decide: { decision in
                    try Tenant.decided(
                        tenant.state,
                        wanted.map { .linkApp(app, roles: $0, decision) } ?? .unlinkApp(app, decision))
                },
                statement: { $0.link(app, roles: wanted, reason: wanted == nil ? "unlinked" : "linked") },
                holding: {
                    try requireHolding(link, named)
                    return .done(nil, position: nil)
                },
                record: { recorder, events, _ in
                    try recorder.add(events)
                    return try await recorder.append(nil)
                })
        }
    }

    /// The roles that the caller named; `nil` if there are none to set.
    private func namedRoles() throws(ServiceError) -> RoleSet? {
        guard case .link(let roles?) = change else { return nil }
        guard let set = RoleSet(roles.map(\.appRole)) else {
            throw ServiceError(.requestInvalid, members: [.init(pointer: "/roles", detail: "name at least one role")])
        }
        return set
    }

    /// Refuses a signed statement about other roles than those that an existing link keeps: somebody else linked the
    /// app after the statement was made.
    ///
    /// - Throws: `request.stale`, and `request.invalid` for another statement.
    private func requireHolding(_ link: RoleSet?, _ named: RoleSet?) throws(ServiceError) {
        guard change != .unlink, named == nil, let link, let signed else { return }
        guard let statement = try? AppLinkStatement(parsing: signed.statement, expecting: .appLink) else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/statement", detail: "the statement about the link of an app is expected")])
        }
        guard statement.roles == link.names else { throw ServiceError(.requestStale) }
    }

    private var unknownApp: ServiceError {
        ServiceError(.requestInvalid, members: [.init(pointer: "/appId", detail: "there is no such app")])
    }
}
