import IdentityService
import TenureAPI

/// The question which account a client gets.
struct AccountsContent: PageContent {
    static let template: PageTemplate = "accounts"
    let account: String
    /// Why this account is none for the client.
    let unsuitable: String?
    let form: FormPart?
    let otherPath: String
}

extension AwaitedAuthorization.Unsuitability {
    /// What is said to the person of the account.
    fileprivate var word: PageWord {
        switch self {
        case .otherPerson: "accounts.otherPerson"
        case .otherCompany: "accounts.otherCompany"
        case .companyNotTaken: "accounts.companyNotTaken"
        case .companyNotLinked: "accounts.companyNotLinked"
        case .linkWithoutAccess: "accounts.linkWithoutAccess"
        }
    }
}

extension Route {
    /// `GET /accounts/{flow}`. The page leads to the question for consent too, for a browser that no page of this service
    /// sent there.
    static let showAccounts = flow(.showAccounts) { visit, flow in
        guard let pending = try await visit.pending(), pending.page != .logIn, pending.page != .logInByAddress else {
            return visit.goOn(in: flow)
        }
        let other = Endpoint.showLogIn.path(in: flow)
        // Without a session there is nothing to choose.
        guard let session = try await visit.session() else { return .seeOther(other) }
        let language = visit.language(pending.locales)
        let armed = visit.armed(.chooseAccount, flow.id, session.cookie)
        let content = AccountsContent(
            account: try await visit.account(session.browser, in: language),
            unsuitable: pending.unsuitable.map { $0.word.text(in: language, pending.clientName) },
            form: pending.unsuitable == nil
                ? armed.part(
                    sentTo: Endpoint.chooseAccount.path(in: flow), request: flow.id, at: visit.exchange.call.time)
                : nil,
            otherPath: other)
        return try HostedPage(content, "accounts.titleFor", pending.clientName, in: language).reply()
    }

    static let chooseAccount = flow(.chooseAccount, body: .form) { visit, flow in
        let form: PageForm
        do throws(PageFormRefusal) { form = try PageForm(visit) } catch {
            return try await visit.refused(error) { _ in visit.goOn(in: flow) }
        }
        guard try await visit.armed(.chooseAccount, flow.id, form.cookie).takes(form.fields, visit.exchange) else {
            return try visit.reply(.unarmed)
        }
        return try await visit.reply(
            to: try await visit.exchange.run(ChooseAccount(handle: flow.request, cookie: form.cookie)), flow,
            isFromPage: true)
    }
}
