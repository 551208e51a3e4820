public import Canonical

/// A resource of an app was registered: tokens of the app's sessions can be meant for it.
public struct AppResourceAdded: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AppResourceAdded"
    /// The app.
    public var appID: AppID
    /// The resource.
    public var resource: ResourceIndicator
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(appID: AppID, resource: ResourceIndicator, by: Authority) {
        self.appID = appID
        self.resource = resource
        self.by = by
    }

    /// Encodes the entry's `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        ["appId": appID.json, "resource": .string(resource.text), "by": try by.json()]
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        appID = try reader.id("appId")
        resource = try reader.resource("resource")
        by = try reader.authority()
        try reader.finish()
    }
}

/// A resource of an app was removed: tokens for it are valid no more. No session ends.
public struct AppResourceRemoved: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AppResourceRemoved"
    /// The app.
    public var appID: AppID
    /// The resource.
    public var resource: ResourceIndicator
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(appID: AppID, resource: ResourceIndicator, by: Authority) {
        self.appID = appID
        self.resource = resource
        self.by = by
    }

    /// Encodes the entry's `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        ["appId": appID.json, "resource": .string(resource.text), "by": try by.json()]
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        appID = try reader.id("appId")
        resource = try reader.resource("resource")
        by = try reader.authority()
        try reader.finish()
    }
}
