public import Canonical

/// A secret of an app ended.
public struct AppSecretRevoked: EventPayload {
    /// The permanent name.
    public static let type = "AppSecretRevoked"
    /// The app.
    public var appID: AppID
    /// The secret.
    public var secretID: SecretID

    /// Makes the event.
    public init(appID: AppID, secretID: SecretID) {
        self.appID = appID
        self.secretID = secretID
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "appId": appID.json,
            "secretId": secretID.json,
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        appID = try reader.id("appId")
        secretID = try reader.id("secretId")
        try reader.finish()
    }
}
