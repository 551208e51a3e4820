public import Canonical

/// A resource of an app was registered: tokens of the app's sessions can be meant for it.
public struct AppResourceAdded: EventPayload {
    /// The app.
    public var appID: AppID
    /// The resource.
    public var resource: ResourceIndicator
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<AppResourceAdded>(
        "AppResourceAdded", AppResourceAdded.init,
        Member("appId", \.appID), Member("resource", \.resource), Member("by", \.by))
}

/// A resource of an app was removed: tokens for it are valid no more. No session ends.
public struct AppResourceRemoved: EventPayload {
    /// The app.
    public var appID: AppID
    /// The resource.
    public var resource: ResourceIndicator
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<AppResourceRemoved>(
        "AppResourceRemoved", AppResourceRemoved.init,
        Member("appId", \.appID), Member("resource", \.resource), Member("by", \.by))
}
