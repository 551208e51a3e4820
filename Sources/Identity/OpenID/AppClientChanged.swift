public import Canonical

/// The operator registered an app as a client of the OpenID provider, or changed what was registered.
public struct AppClientChanged: EventPayload {
    /// The app.
    public var appID: AppID
    /// What is registered from now on; nothing of an earlier event stays.
    public var client: ClientRegistration
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<AppClientChanged>(
        "AppClientChanged", AppClientChanged.init,
        Member("appId", \.appID), Member(inline: \.client), Member("by", \.by))
}
