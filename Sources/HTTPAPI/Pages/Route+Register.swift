import IdentityService
import TenureAPI

extension Route {
    /// The routes of registration, of new credentials, and of the ways back to an account.
    static let ofRegistration: [Route] =
        [showWayBackWait, showCredentials, chooseCredentials] + showRegister
        + RegistrationPage.Way.allCases.flatMap { way in
            beginning(way.shownAt, way.sentTo) { try await RegistrationPage(way, $0) }
        } + beginning(.showWayBack, .startWayBack) { try await WayBackPage($0) }

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
    static let template = PageTemplate.registerChoice
    let joinPath: String
    /// The page for founders; `nil` where nobody may found a tenant.
    let foundPath: String?
    let loginPath: String
}
