import Canonical

/// The operator made an app the one that the pages for browsers act as.
package struct PagesEnabled: EventPayload {
    package var appID: AppID
    package var by: Authority

    package static let members = EventMembers<PagesEnabled>(
        "PagesEnabled", PagesEnabled.init, Member("appId", \.appID), Member("by", \.by))
}
