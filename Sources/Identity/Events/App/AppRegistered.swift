public import Canonical

/// An app exists.
public struct AppRegistered: EventPayload {
    /// The permanent name.
    public static let type = "AppRegistered"
    /// The app.
    public var appID: AppID
    /// The name that operators see.
    public var name: String
    /// The salt of what is derived from the app's secrets.
    public var salt: Bytes32

    /// Makes the event.
    public init(appID: AppID, name: String, salt: Bytes32) {
        self.appID = appID
        self.name = name
        self.salt = salt
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(name, EventLimits.name, "/data/name")
        return .objectOmittingNil([
            "appId": appID.json,
            "name": .string(name),
            "salt": .bytes(salt.bytes),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        appID = try reader.id("appId")
        name = try reader.text("name")
        salt = try reader.bytes32("salt")
        try reader.finish()
    }
}
