import Canonical
import FoundationEssentials
import IdentityService
import TenureAPI

extension Route {
    /// `GET /account/consents`.
    static let showConsents = account(.showConsents) { account in
        let me = try await account.me()
        let consents = try await account.exchange.run(ListConsents(browser: account.browser))
        var content: PageContent = [
            "explanation": .text(account.text("consents.explanation")),
            "withdraw": .text(account.text("consents.withdraw")),
            "consents": .list(
                consents.map { consent in
                    let client = consent.clientID.lowercased
                    var shown: PageContent = [
                        "client": .text(client), "clientName": .text(consent.clientName),
                        "scopes": .list(
                            consent.scopes.compactMap(PageWord.init(scope:)).map { word in
                                ["scope": .text(account.text(word))]
                            }),
                        "token": .text(account.token(.withdrawConsent, client)),
                    ]
                    if let given = consent.givenAt {
                        shown["given"] = .text(account.text("consents.given", given.forPeople))
                    }
                    if let end = consent.lastsUntil {
                        shown["lasting"] = .text(account.text("consents.lasting", end.forPeople))
                    }
                    return shown
                }),
        ]
        if consents.isEmpty { content["none"] = .text(account.text("consents.none")) }
        return try account.page(.consents, "consents.title", of: me, at: .showConsents, content).reply()
    }

    /// `POST /account/consents`: withdraws the consent to one client, and ends its grants.
    static let withdrawConsent = accountForm(.withdrawConsent) { account, form in
        guard let client = UUID(lowercased: form.request) else { return try account.visit.reply(.malformed) }
        try await account.exchange.run(WithdrawConsent(browser: account.browser, client: client))
        return .seeOther(Endpoint.showConsents.template.text)
    }
}
