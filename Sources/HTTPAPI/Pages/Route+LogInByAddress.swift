import Canonical
import ErrorCodes
import FoundationEssentials
import IdentityService
import TenureAPI

/// The endpoints of a log-in by an address.
extension Endpoint {
    static let showLogInByAddress = Endpoint(page: "GET", "/login/address", "Ask for the address of whoever logs in")
    static let beginLogInByAddress = Endpoint(
        page: "POST", "/login/address", "Begin a log-in by an address in a browser")
    static let showPick = Endpoint(page: "GET", "/flow/{flow}/account", "Ask which account of an address is used")
    static let pickAccount = Endpoint(page: "POST", "/flow/{flow}/account", "Take the account that is used")
}

extension Route {
    static let showPick = step(.showPick, where: { $0.step == .account }) { page, view in
        let visit = page.visit, visitor = visit.visitor, form = visit.form(of: .pickAccount, visitor)
        let accounts = view.accounts.map { account in
            PickContent.Account(
                challenge: Base64URL.encode(account.challenge), address: view.address ?? "",
                company: account.companyName, employee: account.companyEmployeeId, id: account.employeeId.lowercased,
                label: page.language.text("flow.account", account.companyEmployeeId, account.companyName), form: form,
                passkey: SigningPasskey(account.passkey, key: account.key))
        }
        let content = PickContent(
            accounts: accounts, isOnly: accounts.count == 1 && accounts[0].passkey == nil,
            addressPath: page.path(.showLogIn), againPath: page.againPath)
        let title: PageWord = content.isOnly ? "flow.keyTitle" : "pick.title"
        return try HostedPage(content, title, in: page.language).reply(visitor)
    }

    static let pickAccount = take(.pickAccount) { form, page, app in
        guard let account = form.text("account").flatMap({ UUID(lowercased: $0) }) else {
            throw ServiceError(.flowWrongStep)
        }
        let proof = form.text("proof").flatMap { Base64URL.decode($0) } ?? []
        return PickAccount(account, proof: proof, flow: page.handle, app: app)
    }

    static let ofLogInByAddress = [showPick, pickAccount]
}

/// The accounts to pick from after a log-in by an address.
struct PickContent: PageContent {
    static let template: PageTemplate = "pick"

    struct Account: PagePart {
        let challenge: String
        let address: String
        let company: String
        let employee: String
        let id: String
        let label: String
        let form: FormPart
        /// The passkey that signs; `nil` for the key of this browser.
        let passkey: SigningPasskey?
    }

    let accounts: [Account]
    /// Whether there is one account, which the module picks.
    let isOnly: Bool
    let addressPath: String
    let againPath: String
}
