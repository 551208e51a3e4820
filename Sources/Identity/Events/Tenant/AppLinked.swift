public import Canonical

/// An app may act for the tenant.
public struct AppLinked: EventPayload {
    /// The permanent name.
    public static let type = "AppLinked"
    /// The app.
    public var appID: AppID
    /// Who decided.
    public var by: Authority

    /// Makes the event.
    public init(appID: AppID, by: Authority) {
        self.appID = appID
        self.by = by
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "appId": appID.json,
            "by": by.json(),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        appID = try reader.id("appId")
        by = try reader.authority()
        try reader.finish()
    }
}
