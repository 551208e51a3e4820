import TenureAPI

/// The endpoints of the pages of one's own account.
extension Endpoint {
    static let showHome = Endpoint("GET", "/", .anyone, "Send a person to the account, or to log in")
    static let showAccount = Endpoint("GET", "/account", .anyone, "Show who is logged in")
    static let logOutOfAccount = Endpoint("POST", "/account/logout", .anyone, "Log a person out")
    static let mailAddressLink = Endpoint(
        "POST", "/account/address", .anyone, "Send a person the mail that confirms the address")
    static let showDevices = Endpoint("GET", "/account/devices", .anyone, "Show a person's devices")
    static let nameDevice = Endpoint("POST", "/account/devices/name", .anyone, "Give a device a name")
    static let showDecision = Endpoint(
        "GET", "/account/decision", .anyone, "Show what a decision about a device key signs")
    static let makeDecision = Endpoint(
        "POST", "/account/decision", .anyone, "Take a signed decision about a device key")
    static let showSessions = Endpoint("GET", "/account/sessions", .anyone, "Show a person's sessions")
    static let endSessionsOfAccount = Endpoint("POST", "/account/sessions", .anyone, "End other sessions")
    static let showConsents = Endpoint("GET", "/account/consents", .anyone, "Show what a person consented to")
    static let withdrawConsent = Endpoint("POST", "/account/consents", .anyone, "Withdraw a consent")
    static let showRecovery = Endpoint(
        "GET", "/account/recovery", .anyone, "Show what the cancellation of a recovery signs")
    static let cancelOwnRecovery = Endpoint(
        "POST", "/account/recovery", .anyone, "Take the signed cancellation of a recovery")
    static let showApprovals = Endpoint(
        "GET", "/account/approvals", .anyone, "Show an admin the devices that wait for a decision")

    /// The endpoints of the account's pages.
    static let ofAccount: [Endpoint] = [
        showHome, showAccount, logOutOfAccount, mailAddressLink, showDevices, nameDevice, showDecision, makeDecision,
        showSessions, endSessionsOfAccount, showConsents, withdrawConsent, showRecovery, cancelOwnRecovery,
        showApprovals,
    ]
}
