import TenureAPI

/// The endpoints of a log-in by an address.
extension Endpoint {
    static let showLogInByAddress = Endpoint(page: "GET", "/login/address", "Ask for the address of whoever logs in")
    static let beginLogInByAddress = Endpoint(
        page: "POST", "/login/address", "Begin a log-in by an address in a browser")
    static let showPick = Endpoint(page: "GET", "/flow/{flow}/account", "Ask which account of an address is used")
    static let pickAccount = Endpoint(page: "POST", "/flow/{flow}/account", "Take the account that is used")
}
