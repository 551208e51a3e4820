package import Canonical
package import ErrorCodes

/// An application that calls the service.
package enum App: Decider {
    package typealias Event = AppEvent

    /// The state of an app, folded from its events.
    package struct State: Sendable, Equatable {
        /// The app, once registered.
        package internal(set) var id: AppID?
        /// The name that operators see.
        package internal(set) var name: String?
        /// The salt of what is derived from the app's secrets.
        package internal(set) var salt: Bytes32?
        /// Whether people may write questions of their own through the app.
        package internal(set) var customQuestions = false
        /// Every secret ever issued.
        package internal(set) var secrets: [SecretID: Secret] = [:]
        /// The URIs that tokens can be meant for besides the app: its resources (RFC 8707), ``maximumResources`` at most.
        package internal(set) var resources: Set<String> = []
        /// What is registered about the app as a client of the OpenID provider; `nil` if it is none.
        package internal(set) var client: ClientRegistration?
        /// The same app without what is registered about it as a client.
        package var withoutClient: State {
            var state = self
            state.client = nil
            return state
        }
        /// Whether the pages for browsers may act as the app.
        package internal(set) var isPagesApp = false
        /// Whether the app has ended. Then it is one that does not exist, and nothing of it is left here.
        package internal(set) var isEnded = false

        /// Returns the secret in force that has this digest.
        ///
        /// Every digest is compared in full, so the time taken does not reveal which bytes agree.
        package func secret(digest: Bytes32) -> Secret? {
            var found: Secret?
            for secret in secrets.values where secret.isInForce {
                let difference = zip(secret.digest.bytes, digest.bytes).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
                if difference == 0 { found = secret }
            }
            return found
        }
    }

    /// A secret of an app. The text of the secret is not stored.
    package struct Secret: Sendable, Equatable {
        package let id: SecretID
        /// The roles that the secret may be used in.
        package let roles: RoleSet
        /// The digest that a presented secret is compared with.
        package let digest: Bytes32
        /// The public half of the key that the app vouches with.
        package let authorityKey: PublicKeyBytes
        package let issued: EventPlace
        /// Whether the secret was revoked, which ended its sessions too.
        package internal(set) var isRevoked = false
        /// Whether another secret replaced it; its sessions go on.
        package internal(set) var isRetired = false

        /// Whether the secret can be presented.
        package var isInForce: Bool { !isRevoked && !isRetired }
    }

    package enum Command: Sendable, Equatable {
        case register(AppID, name: String, salt: Bytes32, customQuestions: Bool, AuthorityDecision)
        case issueSecret(SecretID, roles: RoleSet, digest: Bytes32, authorityKey: PublicKeyBytes, AuthorityDecision)
        /// Retire a secret; its sessions go on.
        case retireSecret(SecretID, AuthorityDecision)
        /// Revoke a secret and end its sessions.
        case revokeSecret(SecretID, AuthorityDecision)
        case addResource(ResourceIndicator, AuthorityDecision)
        /// Remove a resource; no session ends.
        case removeResource(ResourceIndicator, AuthorityDecision)
        /// Register the app as a client of the OpenID provider, or change what is registered.
        case changeClient(ClientRegistration, AuthorityDecision)
        /// Take note that the client answered a challenge: it needs one from now on.
        case noteChallenge
        /// Let the pages for browsers act as the app.
        case enablePages(AuthorityDecision)
        /// End the app: revoke its secrets, and free its name.
        case end(AuthorityDecision)
    }

    package enum Rejection: CodedRejection, CaseIterable {
        case alreadyRegistered
        /// There is no such app.
        case unknownApp
        /// The app has no such secret.
        case unknownSecret
        /// The app has another secret with this id.
        case secretExists
        case notPermitted
        /// The name does not have 1 to 256 bytes, or contains NUL.
        case invalidName
        /// The app has no such resource.
        case unknownResource
        /// The app has ``App/maximumResources`` resources already.
        case tooManyResources
        /// The pages act as the app.
        case isPagesApp

        package var code: ErrorCode {
            switch self {
            case .alreadyRegistered, .secretExists, .invalidName, .unknownResource, .tooManyResources, .isPagesApp:
                .requestInvalid
            case .unknownApp: .appUnknown
            case .notPermitted: .authorizationNotPermitted
            case .unknownSecret: .appSecretInvalid
            }
        }
    }

    /// The largest number of resources that an app has at a time.
    package static let maximumResources = 32

    package static let initial = State()
}

extension App {
    /// Applies an event to the state. A second registration or issue of a secret changes nothing: no decision makes one.
    /// After the end of an app no event of it counts.
    package static func evolve(_ state: inout State, _ recorded: Recorded<AppEvent>) {
        guard !state.isEnded else { return }
        switch recorded.event {
        case .registered(let event):
            guard state.id == nil else { return }
            state.id = event.appID
            state.name = event.name
            state.salt = event.salt
            state.customQuestions = event.customQuestions
        case .secretIssued(let event):
            guard state.secrets[event.secretID] == nil else { return }
            state.secrets[event.secretID] = Secret(
                id: event.secretID, roles: event.roles, digest: event.digest, authorityKey: event.authorityKey,
                issued: recorded.place)
        case .secretRetired(let event): state.secrets[event.secretID]?.isRetired = true
        case .secretRevoked(let event): state.secrets[event.secretID]?.isRevoked = true
        case .resourceAdded(let event): state.resources.insert(event.resource.text)
        case .resourceRemoved(let event): state.resources.remove(event.resource.text)
        case .clientChanged(let event): state.client = event.client
        case .challengeAnswered: state.client = state.client?.needingChallenge
        case .pagesEnabled: state.isPagesApp = true
        case .ended:
            state = initial
            state.isEnded = true
        }
    }

    package static func decide(_ state: State, _ command: Command) throws(Rejection) -> [AppEvent] {
        switch command {
        case .register(let id, let name, let salt, let customQuestions, let by):
            try check(by)
            guard state.id == nil, !state.isEnded else { throw .alreadyRegistered }
            guard EventLimits.name.contains(name.utf8.count), !name.utf8.contains(0) else { throw .invalidName }
            return [
                .registered(
                    AppRegistered(
                        appID: id, name: name, salt: salt, customQuestions: customQuestions, by: by.authority))
            ]
        case .issueSecret(let secret, let roles, let digest, let key, let by):
            try check(by)
            guard let id = state.id else { throw .unknownApp }
            guard state.secrets[secret] == nil else { throw .secretExists }
            return [
                .secretIssued(
                    AppSecretIssued(
                        appID: id, secretID: secret, roles: roles, digest: digest, authorityKey: key, by: by.authority))
            ]
        case .retireSecret(let secret, let by):
            try check(by)
            guard let id = state.id else { throw .unknownApp }
            guard let known = state.secrets[secret] else { throw .unknownSecret }
            return known.isInForce
                ? [.secretRetired(AppSecretRetired(appID: id, secretID: secret, by: by.authority))] : []
        case .revokeSecret(let secret, let by):
            try check(by)
            guard let id = state.id else { throw .unknownApp }
            guard let known = state.secrets[secret] else { throw .unknownSecret }
            return known.isRevoked
                ? [] : [.secretRevoked(AppSecretRevoked(appID: id, secretID: secret, by: by.authority))]
        case .addResource(let resource, let by):
            try check(by)
            guard let id = state.id else { throw .unknownApp }
            guard !state.resources.contains(resource.text) else { return [] }
            guard state.resources.count < maximumResources else { throw .tooManyResources }
            return [.resourceAdded(AppResourceAdded(appID: id, resource: resource, by: by.authority))]
        case .removeResource(let resource, let by):
            try check(by)
            guard let id = state.id else { throw .unknownApp }
            guard state.resources.contains(resource.text) else { throw .unknownResource }
            return [.resourceRemoved(AppResourceRemoved(appID: id, resource: resource, by: by.authority))]
        case .changeClient(let client, let by):
            try check(by)
            guard let id = state.id else { throw .unknownApp }
            guard state.client != client else { return [] }
            return [.clientChanged(AppClientChanged(appID: id, client: client, by: by.authority))]
        case .noteChallenge:
            guard let id = state.id else { throw .unknownApp }
            guard let client = state.client, !client.needsChallenge else { return [] }
            return [.challengeAnswered(AppChallengeAnswered(appID: id))]
        case .enablePages(let by):
            try check(by)
            guard let id = state.id else { throw .unknownApp }
            return state.isPagesApp ? [] : [.pagesEnabled(PagesEnabled(appID: id, by: by.authority))]
        case .end(let by):
            try check(by)
            guard let id = state.id else { throw .unknownApp }
            guard !state.isPagesApp else { throw .isPagesApp }
            let secrets = state.secrets.values.filter { !$0.isRevoked }.sorted {
                $0.issued.position < $1.issued.position
            }
            return secrets.map { .secretRevoked(AppSecretRevoked(appID: id, secretID: $0.id, by: by.authority)) }
                + [.ended(AppEnded(appID: id, by: by.authority))]
        }
    }

    private static func check(_ by: AuthorityDecision) throws(Rejection) {
        guard AuthorityTable.permits(.administerApps, about: .installation, by: by) else { throw .notPermitted }
    }
}

/// The roles that a secret and a link may have. Roles belong to secrets, not to apps.
package enum AppRole: String, Sendable, Hashable, CaseIterable, MemberValue {
    /// Log employees in, and read.
    case access
    /// Authorize, refuse and revoke device keys.
    case authorization
    /// Register employees.
    case creation
    /// Approve, cancel and invite ordinary employees, as a personnel system does.
    case administration
}

/// The roles of a secret or a link: at least one.
package struct RoleSet: Sendable, Hashable {
    /// The roles of an app that logs people in: all but ``AppRole/administration``.
    package static let usual = RoleSet(.access, .authorization, .creation)
    package let roles: Set<AppRole>

    /// Contains the given roles.
    package init(_ first: AppRole, _ others: AppRole...) { roles = Set(others).union([first]) }

    /// Contains the roles of the sequence; `nil` if it is empty.
    package init?(_ roles: some Sequence<AppRole>) {
        let set = Set(roles)
        guard !set.isEmpty else { return nil }
        self.roles = set
    }

    /// The roles that both sets contain.
    package func intersection(_ other: RoleSet) -> Set<AppRole> { roles.intersection(other.roles) }

    package func contains(_ role: AppRole) -> Bool { roles.contains(role) }

    /// The names of the roles, sorted, as events contain them.
    package var names: [String] { roles.map(\.rawValue).sorted() }

    /// Parses sorted names without repetition; `nil` for anything else, so that every set has one spelling.
    package init?(names: [String]) {
        let roles = names.compactMap(AppRole.init(rawValue:))
        self.init(roles)
        guard self.names == names else { return nil }
    }
}

extension RoleSet: MemberValue {
    /// The sorted names of the roles.
    package static let memberKind = MemberKind<Self>(
        .array(AppRole.memberKind.description, count: 1...AppRole.allCases.count)
    ) { (json, place) throws(JSONError) in
        guard let roles = Self(names: try json.strings(at: place)) else {
            throw place.invalid("sorted names of roles are expected")
        }
        return roles
    } write: { (roles, _) in
        .array(roles.names.map(JSONValue.string))
    }
}
