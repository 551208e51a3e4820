import Canonical
import Credentials
import Crypto
public import FoundationEssentials
import Identity
import Keys
import Ledger

extension OperatorCommands {
    /// Registers an app and issues its first secret.
    ///
    /// - Throws: `request.invalid` when the name is taken or not 1 to 256 bytes.
    public func createApp(name: String, roles: Set<CallerRole>) async throws -> IssuedSecret {
        let id = AppID(UUID())
        guard let salt = Bytes32(randomBytes(32)) else { throw ServiceError(.serviceUnavailable) }
        let registered = try decided { () throws(App.Rejection) in
            try App.decide(App.initial, .register(id, name: name, salt: salt))
        }
        var state = App.initial
        for event in registered {
            App.evolve(&state, Recorded(event, id: UUID(), time: .now(), position: 1, version: 1))
        }
        let issued = try issue(state, roles: roles)
        let claim = Claim(key: context.ring.appClaim(name: Array(name.utf8)), owner: id.uuid)
        do {
            try await append(
                (registered + issued.events).map(\.payload), to: .app(id), version: 0, claims: [claim])
        } catch let error as LedgerError where error.code == .claimTaken {
            throw ServiceError(.requestInvalid, members: [.init(pointer: "/name", detail: "the name is taken")])
        }
        return issued.secret
    }

    /// Issues a further secret for an app.
    public func issueSecret(appId: UUID, roles: Set<CallerRole>) async throws -> IssuedSecret {
        try await optimistic {
            let app = try await StateLoader(reader: context.reader).app(AppID(appId))
            let issued = try issue(app.state, roles: roles)
            try await append(issued.events.map(\.payload), to: .app(app.id), version: app.version)
            return issued.secret
        }
    }

    /// Ends a secret; twice is the same as once.
    public func revokeSecret(appId: UUID, secretId: UUID) async throws {
        try await optimistic {
            let app = try await StateLoader(reader: context.reader).app(AppID(appId))
            let events = try decided { () throws(App.Rejection) in
                try App.decide(app.state, .revokeSecret(SecretID(secretId)))
            }
            try await append(events.map(\.payload), to: .app(app.id), version: app.version)
        }
    }

    /// A secret of 32 random bytes; the log gets its digest, the roles and the public half of the authority key.
    private func issue(
        _ state: App.State, roles: Set<CallerRole>
    ) throws -> (events: [AppEvent], secret: IssuedSecret) {
        guard let id = state.id, let salt = state.salt else { throw ServiceError(.appUnknown) }
        guard let set = RoleSet(roles.map(\.appRole)) else {
            throw ServiceError(.requestInvalid, members: [.init(pointer: "/roles", detail: "a role is needed")])
        }
        let text = Base64URL.encode(randomBytes(32))
        let secretId = SecretID(UUID())
        let authority = try AppAuthorityKey(appSecret: Array(text.utf8), appSalt: salt.bytes)
        guard let digest = Bytes32(AppSecretDigest.digest(of: text)),
            let key = PublicKeyBytes(authority.publicKey.bytes)
        else { throw ServiceError(.serviceUnavailable) }
        let events = try decided { () throws(App.Rejection) in
            try App.decide(state, .issueSecret(secretId, roles: set, digest: digest, authorityKey: key))
        }
        return (
            events,
            IssuedSecret(
                appId: id.uuid, secretId: secretId.uuid, secret: text, salt: Base64.encode(salt.bytes))
        )
    }
}

extension CallerRole {
    /// The role as events name it.
    var appRole: AppRole {
        switch self {
        case .access: .access
        case .creation: .creation
        case .authorization: .authorization
        }
    }

    /// The role of that name in an event.
    init(_ role: AppRole) {
        switch role {
        case .access: self = .access
        case .creation: self = .creation
        case .authorization: self = .authorization
        }
    }
}
