import TenureAPI

/// The pages of registration, of new credentials, and of the ways back to an account.
extension Endpoint {
    static let showRegister = Endpoint(page: "GET", "/register", "Ask whether to join a company or to found one")
    static let showFounding = Endpoint(page: "GET", "/register/found", "Ask who founds a company")
    static let startFounding = Endpoint(page: "POST", "/register/found", "Begin the founding of a company")
    static let showJoining = Endpoint(page: "GET", "/register/join", "Ask who joins a company")
    static let startJoining = Endpoint(page: "POST", "/register/join", "Begin a registration in a company")
    static let showInvited = Endpoint(page: "GET", "/join", "Show an invited person the form of a registration")
    static let startInvited = Endpoint(page: "POST", "/join", "Begin the registration of an invited person")
    static let showCredentials = Endpoint(page: "GET", "/flow/{flow}/credentials", "Ask for new credentials")
    static let chooseCredentials = Endpoint(page: "POST", "/flow/{flow}/credentials", "Take new credentials")
    static let showWayBack = Endpoint(page: "GET", "/recover", "Ask which account somebody lost")
    static let startWayBack = Endpoint(page: "POST", "/recover", "Begin a recovery or a return")
    static let showWayBackWait = Endpoint(page: "GET", "/recover/waiting", "Say what a way back waits for")
}
