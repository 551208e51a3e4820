public import Canonical

/// An event of an app, its secrets or its resources.
public enum AppEvent: AggregateEvent {
    /// An app was registered.
    case registered(AppRegistered)
    /// A secret was issued. Its text is never stored.
    case secretIssued(AppSecretIssued)
    /// A secret was revoked, and its sessions ended.
    case secretRevoked(AppSecretRevoked)
    /// A secret was replaced; its sessions go on.
    case secretRetired(AppSecretRetired)
    /// A resource was registered.
    case resourceAdded(AppResourceAdded)
    /// A resource was removed.
    case resourceRemoved(AppResourceRemoved)

    /// The event types of this aggregate.
    public static let payloads: [any EventPayload.Type] = [
        AppRegistered.self, AppSecretIssued.self, AppSecretRevoked.self, AppSecretRetired.self,
        AppResourceAdded.self, AppResourceRemoved.self,
    ]

    /// The payload of the event.
    public var payload: any EventPayload {
        switch self {
        case .registered(let event): event
        case .secretIssued(let event): event
        case .secretRevoked(let event): event
        case .secretRetired(let event): event
        case .resourceAdded(let event): event
        case .resourceRemoved(let event): event
        }
    }

    /// Wraps a payload of this aggregate; `nil` for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as AppRegistered: self = .registered(event)
        case let event as AppSecretIssued: self = .secretIssued(event)
        case let event as AppSecretRevoked: self = .secretRevoked(event)
        case let event as AppSecretRetired: self = .secretRetired(event)
        case let event as AppResourceAdded: self = .resourceAdded(event)
        case let event as AppResourceRemoved: self = .resourceRemoved(event)
        default: return nil
        }
    }
}

/// An app was registered.
public struct AppRegistered: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AppRegistered"
    /// Version 2 is signed by the operator and says whether users may write questions of their own.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The app.
    public var appID: AppID
    /// The name that operators see.
    public var name: String
    /// The salt of what is derived from the app's secrets.
    public var salt: Bytes32
    /// Whether users may write questions of their own through the app.
    public var customQuestions: Bool
    /// The authority that decided; `nil` in version 1.
    public var by: Authority?

    /// Each parameter sets the member of the same name.
    public init(
        appID: AppID, name: String, salt: Bytes32, customQuestions: Bool = false, by: Authority?, schema: Int = 2
    ) {
        self.appID = appID
        self.name = name
        self.salt = salt
        self.customQuestions = customQuestions
        self.by = by
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(name, EventLimits.name, "/data/name")
        return .objectOmittingNil([
            "appId": appID.json,
            "name": .string(name),
            "salt": .bytes(salt.bytes),
            "customQuestions": schema >= 2 ? .bool(customQuestions) : nil,
            "by": try by?.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        appID = try reader.id("appId")
        name = try reader.text("name")
        salt = try reader.bytes32("salt")
        self.schema = schema
        customQuestions = schema >= 2 ? try reader.bool("customQuestions") : false
        by = schema >= 2 ? try reader.authority() : nil
        try reader.finish()
    }
}

/// A secret of an app was issued. Its text is never stored.
public struct AppSecretIssued: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AppSecretIssued"
    /// Version 2 is signed by the operator.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The app.
    public var appID: AppID
    /// The secret.
    public var secretID: SecretID
    /// The roles that the secret may be used in.
    public var roles: RoleSet
    /// The digest that a presented secret is compared with.
    public var digest: Bytes32
    /// The public half of the key that the app vouches with, which is derived from the secret.
    public var authorityKey: PublicKeyBytes
    /// The authority that decided; `nil` in version 1.
    public var by: Authority?

    /// Each parameter sets the member of the same name.
    public init(
        appID: AppID, secretID: SecretID, roles: RoleSet, digest: Bytes32, authorityKey: PublicKeyBytes, by: Authority?,
        schema: Int = 2
    ) {
        self.appID = appID
        self.secretID = secretID
        self.roles = roles
        self.digest = digest
        self.authorityKey = authorityKey
        self.by = by
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "appId": appID.json,
            "secretId": secretID.json,
            "roles": .array(roles.names.map(JSONValue.string)),
            "digest": .bytes(digest.bytes),
            "authorityKey": .bytes(authorityKey.bytes),
            "by": try by?.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        appID = try reader.id("appId")
        secretID = try reader.id("secretId")
        roles = try reader.roles("roles")
        digest = try reader.bytes32("digest")
        authorityKey = try reader.key("authorityKey")
        self.schema = schema
        by = schema >= 2 ? try reader.authority() : nil
        try reader.finish()
    }
}

/// A secret of an app was retired: it can no longer be presented, and its sessions go on.
public struct AppSecretRetired: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AppSecretRetired"
    /// The app.
    public var appID: AppID
    /// The secret.
    public var secretID: SecretID
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        appID: AppID, secretID: SecretID, by: Authority
    ) {
        self.appID = appID
        self.secretID = secretID
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "appId": appID.json,
            "secretId": secretID.json,
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        appID = try reader.id("appId")
        secretID = try reader.id("secretId")
        by = try reader.authority()
        try reader.finish()
    }
}

/// A secret of an app was revoked.
public struct AppSecretRevoked: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AppSecretRevoked"
    /// Version 2 is signed by the operator; the secret's sessions end.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The app.
    public var appID: AppID
    /// The secret.
    public var secretID: SecretID
    /// The authority that decided; `nil` in version 1.
    public var by: Authority?

    /// Each parameter sets the member of the same name.
    public init(
        appID: AppID, secretID: SecretID, by: Authority?, schema: Int = 2
    ) {
        self.appID = appID
        self.secretID = secretID
        self.by = by
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "appId": appID.json,
            "secretId": secretID.json,
            "by": try by?.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        appID = try reader.id("appId")
        secretID = try reader.id("secretId")
        self.schema = schema
        by = schema >= 2 ? try reader.authority() : nil
        try reader.finish()
    }
}
