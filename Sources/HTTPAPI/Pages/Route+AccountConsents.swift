import Canonical
import FoundationEssentials
import IdentityService
import TenureAPI

/// The consents of an account.
struct ConsentsContent: AccountContent {
    static let template: PageTemplate = "consents"

    struct Item: PagePart {
        let clientName: String
        let given: String?
        let lasting: String?
        let scopes: [String]
        let form: FormPart
    }

    let consents: [Item]
}

extension Route {
    static let showConsents = account(.showConsents) { account in
        let me = try await account.me()
        let consents = try await account.exchange.run(ListConsents(browser: account.browser))
        let items = consents.map { consent in
            ConsentsContent.Item(
                clientName: consent.clientName,
                given: consent.givenAt.map { account.text("consents.given", $0.forPeople) },
                lasting: consent.lastsUntil.map { account.text("consents.lasting", $0.forPeople) },
                scopes: consent.scopes.compactMap(PageWord.init(scope:)).map { account.text($0) },
                form: account.form(.withdrawConsent, consent.clientID.lowercased))
        }
        return try account.page(
            ConsentsContent(consents: items), "consents.title", of: me, at: .showConsents
        ).reply()
    }

    /// `POST /account/consents`: withdraws the consent to one client, and ends its grants.
    static let withdrawConsent = accountForm(.withdrawConsent) { account, form in
        guard let client = UUID(lowercased: form.request) else { return try account.visit.reply(.malformed) }
        try await account.exchange.run(WithdrawConsent(browser: account.browser, client: client))
        return .seeOther(Endpoint.showConsents.template.text)
    }
}
