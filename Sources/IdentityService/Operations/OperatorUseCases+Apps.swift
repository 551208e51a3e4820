import Canonical
import Credentials
import ErrorCodes
import EventCoding
package import FoundationEssentials
package import Identity
import Keys
import Ledger
package import TenureAPI

extension OperatorUseCases {
    /// Registers an app and issues its first secret. With `client` it also registers the app as a client of the OpenID
    /// provider, and links it in each company whose people the client takes: all in one append, so that a failure leaves
    /// nothing.
    ///
    /// - Parameters:
    ///   - customQuestions: Whether its users may choose questions that are not in the published list. Such a question
    ///     reveals to strangers that the account exists.
    ///   - client: What to register about the app as a client; `nil` if it is none.
    ///   - linksPages: Whether these companies get a link to the app of the pages too, if they lack it.
    ///   - handOver: Called once before the secret counts. The secret is stored nowhere, so if this throws, nothing is
    ///     created.
    /// - Throws: `request.invalid` if the name is taken or not 1 to 256 bytes, or with the place in `client`;
    ///   `company.unknown`; ``PagesError/disabled``; ``OperatorKeyError``; what `handOver` throws.
    package func createApp(
        name: String, roles: Set<AppLinkRequest.Role>, customQuestions: Bool = false, client: ClientEntry? = nil,
        linksPages: Bool = false, handOver: (IssuedSecret) throws -> Void = { _ in }
    ) async throws -> IssuedSecret {
        let id = AppID(UUID()), drawn = DrawnSecret()
        guard let salt = Bytes32(randomBytes(32)) else { throw ProgramDefect("a salt has another length") }
        let claim = Claim(key: context.ring.appClaim(name: Array(name.utf8)), owner: id.uuid)
        let tenants = if let client { try await self.tenants(of: client) } else { [TenantID]() }
        let registration = try client.map { entry in
            try parsed { () throws(ValueError) in try entry.registration(tenants) }
        }
        let pages = linksPages ? try await pagesApp().map(AppID.init) : nil
        guard !linksPages || pages != nil else { throw PagesError.disabled }
        var isHandedOver = false
        return try await optimistic {
            var events = try await signing.decide(on: .app(id)) { decision in
                try App.decided(
                    App.initial, .register(id, name: name, salt: salt, customQuestions: customQuestions, decision))
            }
            var state = App.initial
            apply(events, to: &state)
            let issued = try await issue(drawn, state, roles: roles)
            events += issued.events
            if let registration {
                events += try await signing.decide(on: .app(id)) { decision in
                    try App.decided(state, .changeClient(registration, decision))
                }
            }
            var recorder = EventRecorder(context, at: context.settings.now())
            try recorder.add(events, to: .app(id), version: 0)
            recorder.claims = [claim]
            for tenant in Set(tenants) {
                var apps = [(id, RoleSet(roles.map(\.appRole)))]
                if let pages { apps.append((pages, nil)) }
                try await addLinks(apps, in: tenant, to: &recorder)
            }
            // The append decides. This spares the caller a secret that cannot count.
            guard try await context.reader.claim(claim.key) == nil else { throw Self.nameTaken }
            if !isHandedOver { try handOver(issued.secret) }
            isHandedOver = true
            do { try await recorder.append() } catch let error as LedgerError where error.code == .claimTaken {
                throw Self.nameTaken
            }
            return issued.secret
        }
    }

    /// Adds the links of a tenant to apps that it does not link. Without roles a link gets the usual ones.
    private func addLinks(
        _ apps: [(id: AppID, roles: RoleSet?)], in id: TenantID, to recorder: inout EventRecorder
    ) async throws {
        let tenant = try await StateLoader(reader: context.reader).tenant(id)
        for app in apps where tenant.state.links[app.id] == nil {
            let linked = try await signing.decide(on: .tenant(id)) { decision in
                try Tenant.decided(tenant.state, .linkApp(app.id, roles: app.roles ?? .usual, decision))
            }
            try recorder.add(linked, to: .tenant(id), version: tenant.version)
        }
    }

    private static let nameTaken = ServiceError(
        .requestInvalid,
        members: [
            .init(
                pointer: "/name",
                detail: "the name is already taken; choose another, or link the existing app with tenure app link")
        ])

    /// Returns those of some tenants that could log nobody in without an app: they link no other live one with ACCESS.
    package func tenants(_ tenants: [TenantID], leftWithout app: UUID) async throws -> Set<TenantID> {
        let loader = StateLoader(reader: context.reader)
        var left: Set<TenantID> = []
        for tenant in tenants {
            let links = try await loader.tenant(tenant).state.links.filter { $0.value.contains(.access) }
            guard links[AppID(app)] != nil else { continue }
            var isLeft = true
            for other in links.keys where isLeft && other.uuid != app {
                isLeft = try await loader.app(other).state.name == nil
            }
            if isLeft { left.insert(tenant) }
        }
        return left
    }

    /// Ends an app: revokes its secrets, which ends the sessions that they opened, and frees its name. Grants of the app
    /// as a client end with it, and a company's link to it means nothing any more.
    ///
    /// - Throws: `app.unknown`, `request.invalid` for the app of the pages, or ``OperatorKeyError``.
    package func endApp(_ appId: UUID) async throws {
        try await optimistic {
            let app = try await StateLoader(reader: context.reader).app(AppID(appId))
            guard let name = app.state.name else { throw ServiceError(.appUnknown) }
            guard !app.state.isPagesApp else {
                throw ServiceError(
                    .requestInvalid,
                    members: [
                        .init(pointer: "/appId", detail: "the pages act as the app; tenure pages disable ends them")
                    ])
            }
            let events = try await signing.decide(on: .app(app.id)) { decision in
                try App.decided(app.state, .end(decision))
            }
            let claim = ClaimRelease(key: context.ring.appClaim(name: Array(name.utf8)), owner: appId)
            try await append(events.map(\.payload), to: .app(app.id), version: app.version, releases: [claim])
        }
    }

    /// Issues a further secret for an app.
    ///
    /// - Parameter handOver: Called once before the secret counts; if it throws, nothing is issued.
    /// - Throws: `app.unknown`, `request.invalid` without a role or for the app of the pages, ``OperatorKeyError``, or
    ///   what `handOver` throws.
    package func issueSecret(
        appId: UUID, roles: Set<AppLinkRequest.Role>, handOver: (IssuedSecret) throws -> Void = { _ in }
    ) async throws -> IssuedSecret {
        try await issueSecret(of: appId, handOver) { _ in (roles, nil) }
    }

    /// Issues a secret of an app, which is handed over once before it counts, whatever the log makes of the append.
    ///
    /// - Parameter plan: The roles of the secret, and the one that it retires.
    private func issueSecret(
        of appId: UUID, _ handOver: (IssuedSecret) throws -> Void,
        _ plan: (App.State) throws -> (roles: Set<AppLinkRequest.Role>, retired: SecretID?)
    ) async throws -> IssuedSecret {
        let drawn = DrawnSecret()
        var isHandedOver = false
        return try await optimistic {
            let app = try await StateLoader(reader: context.reader).app(AppID(appId))
            guard app.state.id != nil else { throw ServiceError(.appUnknown) }
            try Self.refusePagesApp(app.state)
            let (roles, retired) = try plan(app.state)
            var (events, secret) = try await issue(drawn, app.state, roles: roles)
            if let retired {
                events += try await signing.decide(on: .app(app.id)) { decision in
                    try App.decided(app.state, .retireSecret(retired, decision))
                }
            }
            if !isHandedOver { try handOver(secret) }
            isHandedOver = true
            try await append(events.map(\.payload), to: .app(app.id), version: app.version)
            return secret
        }
    }

    /// Extends the roles of an app: issues a further secret with the roles of one in force and others.
    ///
    /// A role belongs to a secret, and a secret keeps its roles. So the app gets the new ones with the new secret, and
    /// whoever holds the old one gets nothing.
    ///
    /// - Parameters:
    ///   - roles: The roles to add.
    ///   - secretId: The secret whose roles are extended; `nil` if the app has one secret in force.
    ///   - handOver: Called once before the new secret counts; if it throws, nothing is issued.
    /// - Throws: ``AppRoleError``, `app.unknown`, `app.secret_invalid` for a secret that is not in force, or
    ///   ``OperatorKeyError``.
    package func addRoles(
        _ roles: Set<AppLinkRequest.Role>, toApp appId: UUID, extending secretId: UUID? = nil,
        handOver: (IssuedSecret) throws -> Void = { _ in }
    ) async throws -> IssuedSecret {
        try await issueSecret(of: appId, handOver) { app in
            let inForce = app.secrets.values.filter(\.isInForce)
            if secretId == nil, inForce.count > 1 { throw AppRoleError.severalSecrets }
            guard let old = inForce.first(where: { secretId == nil || $0.id.uuid == secretId }) else {
                throw ServiceError(.appSecretInvalid)
            }
            let had = Set(old.roles.roles.map(AppLinkRequest.Role.init))
            guard !roles.isSubset(of: had) else { throw AppRoleError.nothingToAdd }
            return (had.union(roles), nil)
        }
    }

    /// Issues a new secret with the roles of an old one, and retires the old one, whose sessions go on.
    ///
    /// - Parameter handOver: Called once before the new secret counts; if it throws, nothing is changed.
    /// - Throws: `app.unknown`, `app.secret_invalid` for a secret that is not in force, ``OperatorKeyError``, or what
    ///   `handOver` throws.
    package func rotateSecret(
        appId: UUID, secretId: UUID, handOver: (IssuedSecret) throws -> Void = { _ in }
    ) async throws -> IssuedSecret {
        try await issueSecret(of: appId, handOver) { app in
            guard let old = app.secrets[SecretID(secretId)], old.isInForce else {
                throw ServiceError(.appSecretInvalid)
            }
            return (Set(old.roles.roles.map(AppLinkRequest.Role.init)), old.id)
        }
    }

    /// Retires a secret; its sessions go on. Does nothing if the secret is not in force.
    ///
    /// - Throws: ``ServiceError`` for an unknown app or secret, or ``OperatorKeyError``.
    package func retireSecret(appId: UUID, secretId: UUID) async throws {
        try await decide(appId) { .retireSecret(SecretID(secretId), $0) }
    }

    /// Revokes a secret and ends its sessions. Does nothing if it is revoked.
    ///
    /// - Throws: ``ServiceError`` for an unknown app or secret, or ``OperatorKeyError``.
    package func revokeSecret(appId: UUID, secretId: UUID) async throws {
        try await decide(appId) { .revokeSecret(SecretID(secretId), $0) }
    }

    /// Refuses to show a secret of the app that the pages act as: that secret lies in the service, and nowhere else.
    private static func refusePagesApp(_ state: App.State) throws(ServiceError) {
        guard state.isPagesApp else { return }
        throw ServiceError(
            .requestInvalid,
            members: [
                .init(
                    pointer: "/appId",
                    detail: "the service keeps the secret of the pages; replace it with tenure key rotate --pages")
            ])
    }

    /// A secret of 32 random bytes and its id. Retries issue the same one, because it was handed over.
    struct DrawnSecret {
        let id = SecretID(UUID())
        let text = Base64URL.encode(randomBytes(32))
    }

    /// Issues a secret. The log gets its digest, its roles and the public half of its authority key.
    func issue(
        _ drawn: DrawnSecret, _ state: App.State, roles: Set<AppLinkRequest.Role>
    ) async throws -> (events: [AppEvent], secret: IssuedSecret) {
        guard let id = state.id, let salt = state.salt else { throw ServiceError(.appUnknown) }
        guard let set = RoleSet(roles.map(\.appRole)) else {
            throw ServiceError(.requestInvalid, members: [.init(pointer: "/roles", detail: "name at least one role")])
        }
        let (text, secretId) = (drawn.text, drawn.id)
        let authority = try AppAuthorityKey(appSecret: Array(text.utf8), appSalt: salt.bytes)
        guard let digest = Bytes32(AppSecretDigest.digest(of: text)),
            let key = PublicKeyBytes(authority.publicKey.bytes)
        else { throw ProgramDefect("a digest or key has another length") }
        let events = try await signing.decide(on: .app(id)) { decision in
            try App.decided(state, .issueSecret(secretId, roles: set, digest: digest, authorityKey: key, decision))
        }
        return (
            events,
            IssuedSecret(
                appId: id.uuid, secretId: secretId.uuid, secret: text, salt: Base64.encode(salt.bytes))
        )
    }
}

/// The refusal to extend the roles of an app.
package enum AppRoleError: String, Error, Sendable, CustomStringConvertible {
    /// The app has several secrets in force, and none was named.
    case severalSecrets = "app.several_secrets"
    /// The secret has the roles already.
    case nothingToAdd = "app.nothing_to_add"

    /// The code of the refusal.
    package var description: String { rawValue }
}

extension AppLinkRequest.Role {
    /// The roles of an app that logs people in: all but ``administration``.
    package static let usual: Set<AppLinkRequest.Role> = [.access, .creation, .authorization]

    /// The role as events name it.
    var appRole: AppRole {
        switch self {
        case .access: .access
        case .creation: .creation
        case .authorization: .authorization
        case .administration: .administration
        }
    }

    /// The role that events name so.
    init(_ role: AppRole) {
        switch role {
        case .access: self = .access
        case .creation: self = .creation
        case .authorization: self = .authorization
        case .administration: self = .administration
        }
    }
}

extension OperatorUseCases {
    /// Registers a resource of an app (RFC 8707): employees' tokens can then be meant for it. Does nothing if the app
    /// has it.
    ///
    /// - Parameter resource: An absolute URI without a fragment, at most 255 bytes. It is kept and compared as given.
    /// - Throws: `app.unknown`, `request.invalid` for another text or a 33rd resource, or ``OperatorKeyError``.
    package func addResource(appId: UUID, resource: String) async throws {
        let resource = try parsed { () throws(ValueError) in try ResourceIndicator(resource) }
        try await decide(appId) { .addResource(resource, $0) }
    }

    /// Removes a resource of an app: introspection refuses tokens for it from now on. No session ends.
    ///
    /// - Throws: `app.unknown`, `request.invalid` if the app has no such resource, or ``OperatorKeyError``.
    package func removeResource(appId: UUID, resource: String) async throws {
        let resource = try parsed { () throws(ValueError) in try ResourceIndicator(resource) }
        try await decide(appId) { .removeResource(resource, $0) }
    }

    private func decide(_ appId: UUID, _ command: (AuthorityDecision) -> App.Command) async throws {
        try await optimistic {
            let app = try await StateLoader(reader: context.reader).app(AppID(appId))
            let events = try await signing.decide(on: .app(app.id)) { decision throws(ServiceError) in
                do throws(App.Rejection) {
                    return try App.decide(app.state, command(decision))
                } catch {
                    throw Self.refusal(error)
                }
            }
            try await append(events.map(\.payload), to: .app(app.id), version: app.version)
        }
    }

    /// The refusal of a decision about a resource, with what to do next.
    private static func refusal(_ rejection: App.Rejection) -> ServiceError {
        let detail: String? =
            switch rejection {
            case .unknownResource: "the app has no such resource; tenure app list shows those that it has"
            case .tooManyResources: "the app has \(App.maximumResources) resources, and can have no more; remove one"
            default: nil
            }
        guard let detail else { return ServiceError(rejection) }
        return ServiceError(.requestInvalid, members: [.init(pointer: "/resource", detail: detail)])
    }
}
