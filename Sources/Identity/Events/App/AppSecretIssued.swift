public import Canonical

/// An app has a secret, which itself is never stored.
public struct AppSecretIssued: EventPayload {
    /// The permanent name.
    public static let type = "AppSecretIssued"
    /// The app.
    public var appID: AppID
    /// The secret.
    public var secretID: SecretID
    /// What the secret may be used for.
    public var roles: RoleSet
    /// What a presented secret is compared with.
    public var digest: Bytes32
    /// The public half of the key derived from the secret, which the app vouches with.
    public var authorityKey: PublicKeyBytes

    /// Makes the event.
    public init(appID: AppID, secretID: SecretID, roles: RoleSet, digest: Bytes32, authorityKey: PublicKeyBytes) {
        self.appID = appID
        self.secretID = secretID
        self.roles = roles
        self.digest = digest
        self.authorityKey = authorityKey
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "appId": appID.json,
            "secretId": secretID.json,
            "roles": .array(roles.names.map(JSONValue.string)),
            "digest": .bytes(digest.bytes),
            "authorityKey": .bytes(authorityKey.bytes),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        appID = try reader.id("appId")
        secretID = try reader.id("secretId")
        roles = try reader.roles("roles")
        digest = try reader.bytes32("digest")
        authorityKey = try reader.key("authorityKey")
        try reader.finish()
    }
}
