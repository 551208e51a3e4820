import IdentityService
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
    static let challengeNewPasskey = Endpoint(
        page: "POST", "/flow/{flow}/passkey/challenge", "Give a page what a new passkey signs next")
    static let registerByPasskey = Endpoint(
        page: "POST", "/flow/{flow}/passkey", "Complete a registration with a passkey")
    static let showWayBack = Endpoint(page: "GET", "/recover", "Ask which account somebody lost")
    static let startWayBack = Endpoint(page: "POST", "/recover", "Begin a recovery or a return")
    static let showWayBackWait = Endpoint(page: "GET", "/recover/waiting", "Say what a way back waits for")
}

extension Route {
    /// The routes of registration, of new credentials, and of the ways back to an account.
    static let ofRegistration: [Route] =
        [showWayBackWait, showCredentials, chooseCredentials, challengeNewPasskey, registerByPasskey]
        + RegistrationPage.Way.allCases.flatMap { way in
            beginning(way.shownAt, way.sentTo) { try await RegistrationPage(way, $0) }
        } + beginning(.showWayBack, .startWayBack) { WayBackPage(visit: $0) } + showRegister

    /// `GET /register`, and for a flow: whether to join a tenant or to found one.
    private static let showRegister = beginning(.showRegister) { visit in
        let rule = try await visit.exchange.run(ReadRegistrationTerms()).founding, flow = visit.flow
        let content = RegisterChoiceContent(
            joinPath: Endpoint.showJoining.path(in: flow),
            foundPath: rule == .off ? nil : Endpoint.showFounding.path(in: flow),
            loginPath: Endpoint.showLogIn.path(in: flow))
        return try HostedPage(content, "register.title", in: visit.language()).reply()
    }
}

/// The question whether to join a tenant or to found one.
struct RegisterChoiceContent: PageContent {
    static let template: PageTemplate = "registerChoice"
    let joinPath: String
    /// The page for founders; `nil` where nobody may found a tenant.
    let foundPath: String?
    let loginPath: String
}
