import Canonical

/// The operator registered an app as a client of the OpenID provider, or changed what was registered.
package struct AppClientChanged: EventPayload {
    package var appID: AppID
    /// What is registered from now on; nothing of an earlier event stays.
    package var client: ClientRegistration
    package var by: Authority

    package static let members = EventMembers<AppClientChanged>(
        "AppClientChanged", AppClientChanged.init,
        Member("appId", \.appID), Member(inline: \.client), Member("by", \.by))
}
