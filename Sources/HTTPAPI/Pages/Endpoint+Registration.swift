import TenureAPI

/// The pages of registration, of new credentials, and of the ways back to an account.
extension Endpoint {
    static let showRegister = Endpoint("GET", "/register", .anyone, "Ask whether to join a company or to found one")
    static let showFounding = Endpoint("GET", "/register/found", .anyone, "Ask who founds a company")
    static let startFounding = Endpoint("POST", "/register/found", .anyone, "Begin the founding of a company")
    static let showJoining = Endpoint("GET", "/register/join", .anyone, "Ask who joins a company")
    static let startJoining = Endpoint("POST", "/register/join", .anyone, "Begin a registration in a company")
    static let showInvited = Endpoint("GET", "/join", .anyone, "Show an invited person the form of a registration")
    static let startInvited = Endpoint("POST", "/join", .anyone, "Begin the registration of an invited person")
    static let showCredentials = Endpoint("GET", "/flow/{flow}/credentials", .anyone, "Ask for new credentials")
    static let chooseCredentials = Endpoint("POST", "/flow/{flow}/credentials", .anyone, "Take new credentials")
    static let showWayBack = Endpoint("GET", "/recover", .anyone, "Ask which account somebody lost")
    static let startWayBack = Endpoint("POST", "/recover", .anyone, "Begin a recovery or a return")
    static let showWayBackWait = Endpoint("GET", "/recover/waiting", .anyone, "Say what a way back waits for")

    static let ofRegistration: [Endpoint] =
        [showCredentials, chooseCredentials, showWayBackWait]
        + [
            showRegister, showFounding, startFounding, showJoining, startJoining, showInvited, startInvited,
            showWayBack,
            startWayBack,
        ].flatMap { [$0, $0.inFlow] }
}
