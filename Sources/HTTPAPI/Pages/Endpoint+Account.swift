import TenureAPI

/// The endpoints of the pages of one's own account.
extension Endpoint {
    static let showHome = Endpoint(page: "GET", "/", "Send a person to the account, or to log in")
    static let showAccount = Endpoint(page: "GET", "/account", "Show who is logged in")
    static let logOutOfAccount = Endpoint(page: "POST", "/account/logout", "Log a person out")
    static let mailAddressLink = Endpoint(
        page: "POST", "/account/address", "Send a person the mail that confirms the address")
    static let showDevices = Endpoint(page: "GET", "/account/devices", "Show a person's devices")
    static let nameDevice = Endpoint(page: "POST", "/account/devices/name", "Give a device a name")
    static let showDecision = Endpoint(
        page: "GET", "/account/decision", "Show what a decision about a device key signs")
    static let makeDecision = Endpoint(page: "POST", "/account/decision", "Take a signed decision about a device key")
    static let showSessions = Endpoint(page: "GET", "/account/sessions", "Show a person's sessions")
    static let endSessionsOfAccount = Endpoint(page: "POST", "/account/sessions", "End other sessions")
    static let showConsents = Endpoint(page: "GET", "/account/consents", "Show what a person consented to")
    static let withdrawConsent = Endpoint(page: "POST", "/account/consents", "Withdraw a consent")
    static let showRecovery = Endpoint(
        page: "GET", "/account/recovery", "Show what the cancellation of a recovery signs")
    static let cancelOwnRecovery = Endpoint(
        page: "POST", "/account/recovery", "Take the signed cancellation of a recovery")
    static let showApprovals = Endpoint(
        page: "GET", "/account/approvals", "Show an admin the devices that wait for a decision")
}
