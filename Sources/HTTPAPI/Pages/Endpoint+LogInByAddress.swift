import TenureAPI

/// The endpoints of a log-in by an address.
extension Endpoint {
    static let showLogInByAddress = Endpoint("GET", "/login/address", .anyone, "Ask for the address of whoever logs in")
    static let beginLogInByAddress = Endpoint(
        "POST", "/login/address", .anyone, "Begin a log-in by an address in a browser")
    static let showPick = Endpoint("GET", "/flow/{flow}/account", .anyone, "Ask which account of an address is used")
    static let pickAccount = Endpoint("POST", "/flow/{flow}/account", .anyone, "Take the account that is used")

    /// The endpoints of a log-in by an address.
    static let ofLogInByAddress: [Endpoint] = [
        showLogInByAddress, showLogInByAddress.inFlow, beginLogInByAddress, beginLogInByAddress.inFlow, showPick,
        pickAccount,
    ]
}
