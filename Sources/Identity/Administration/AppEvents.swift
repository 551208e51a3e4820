import Canonical

/// An event of an app, its secrets, its resources, its registration as a client or its use by the pages.
package enum AppEvent: AggregateEvent {
    case registered(AppRegistered)
    case secretIssued(AppSecretIssued)
    case secretRevoked(AppSecretRevoked)
    case secretRetired(AppSecretRetired)
    case resourceAdded(AppResourceAdded)
    case resourceRemoved(AppResourceRemoved)
    case clientChanged(AppClientChanged)
    case challengeAnswered(AppChallengeAnswered)
    case pagesEnabled(PagesEnabled)
    case ended(AppEnded)

    package static let cases = AggregateCases<AppEvent>(
        registered, secretIssued, secretRevoked, secretRetired, resourceAdded, resourceRemoved, clientChanged,
        challengeAnswered, pagesEnabled, ended)

    package var payload: any EventPayload {
        switch self {
        case .registered(let event): event
        case .secretIssued(let event): event
        case .secretRevoked(let event): event
        case .secretRetired(let event): event
        case .resourceAdded(let event): event
        case .resourceRemoved(let event): event
        case .clientChanged(let event): event
        case .challengeAnswered(let event): event
        case .pagesEnabled(let event): event
        case .ended(let event): event
        }
    }
}

/// An app was registered.
package struct AppRegistered: EventPayload {
    package var appID: AppID
    /// The name that operators see.
    package var name: String
    /// The salt of what is derived from the app's secrets.
    package var salt: Bytes32
    /// Whether users may write questions of their own through the app.
    package var customQuestions = false
    package var by: Authority

    package static let members = EventMembers<AppRegistered>(
        "AppRegistered", AppRegistered.init,
        Member("appId", \.appID), Member("name", \.name, .name), Member("salt", \.salt),
        Member("customQuestions", \.customQuestions), Member("by", \.by))
}

/// A secret of an app was issued. Its text is never stored.
package struct AppSecretIssued: EventPayload {
    package var appID: AppID
    package var secretID: SecretID
    /// The roles that the secret may be used in.
    package var roles: RoleSet
    /// The digest that a presented secret is compared with.
    package var digest: Bytes32
    /// The public half of the key that the app vouches with, which is derived from the secret.
    package var authorityKey: PublicKeyBytes
    package var by: Authority

    package static let members = EventMembers<AppSecretIssued>(
        "AppSecretIssued", AppSecretIssued.init,
        Member("appId", \.appID), Member("secretId", \.secretID), Member("roles", \.roles),
        Member("digest", \.digest), Member("authorityKey", \.authorityKey, .point), Member("by", \.by))
}

/// A secret of an app was retired: it can no longer be presented, and its sessions go on.
package struct AppSecretRetired: EventPayload {
    package var appID: AppID
    package var secretID: SecretID
    package var by: Authority

    package static let members = EventMembers<AppSecretRetired>(
        "AppSecretRetired", AppSecretRetired.init,
        Member("appId", \.appID), Member("secretId", \.secretID), Member("by", \.by))
}

/// A secret of an app was revoked.
package struct AppSecretRevoked: EventPayload {
    package var appID: AppID
    package var secretID: SecretID
    package var by: Authority

    package static let members = EventMembers<AppSecretRevoked>(
        "AppSecretRevoked", AppSecretRevoked.init,
        Member("appId", \.appID), Member("secretId", \.secretID), Member("by", \.by))
}

/// A resource of an app was registered: tokens of the app's sessions can be meant for it.
package struct AppResourceAdded: EventPayload {
    package var appID: AppID
    package var resource: ResourceIndicator
    package var by: Authority

    package static let members = EventMembers<AppResourceAdded>(
        "AppResourceAdded", AppResourceAdded.init,
        Member("appId", \.appID), Member("resource", \.resource), Member("by", \.by))
}

/// A resource of an app was removed: tokens for it are valid no more. No session ends.
package struct AppResourceRemoved: EventPayload {
    package var appID: AppID
    package var resource: ResourceIndicator
    package var by: Authority

    package static let members = EventMembers<AppResourceRemoved>(
        "AppResourceRemoved", AppResourceRemoved.init,
        Member("appId", \.appID), Member("resource", \.resource), Member("by", \.by))
}

/// An app ended: nothing of it counts any more, and its name is free.
package struct AppEnded: EventPayload {
    package var appID: AppID
    package var by: Authority

    package static let members = EventMembers<AppEnded>(
        "AppEnded", AppEnded.init, Member("appId", \.appID), Member("by", \.by))
}
