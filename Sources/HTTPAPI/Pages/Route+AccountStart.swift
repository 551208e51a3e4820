import IdentityService
import TenureAPI

extension Endpoint {
    static let showFirstSteps = Endpoint(
        page: "GET", "/account/start", "Show a founder three steps against the loss of the company")
}

extension Route {
    /// `GET /account/start`: where a founder comes after founding. Each step may be left out.
    static let showFirstSteps = account(.showFirstSteps) { account in
        let me = try await account.me()
        let content = FirstStepsContent(
            address: me.emailVerified ? nil : account.form(.mailAddressLink, "address"),
            devicesPath: Endpoint.showDevices.template.text,
            loginURL: account.exchange.publicURL + AccountVisit.logInPath,
            accountPath: Endpoint.showAccount.template.text)
        return try account.page(content, "start.title", of: me, at: .showFirstSteps).reply()
    }
}

/// Three steps after founding, each with what it prevents.
struct FirstStepsContent: AccountContent {
    static let template: PageTemplate = "start"
    /// The form that sends the mail about the address; `nil` once it is confirmed.
    let address: FormPart?
    let devicesPath: String
    /// Where a second device logs in.
    let loginURL: String
    let accountPath: String
}
