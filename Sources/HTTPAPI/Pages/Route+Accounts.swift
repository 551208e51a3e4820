import IdentityService
import TenureAPI

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
        let token = FormToken(
            cookie: session.cookie, path: Endpoint.chooseAccount.template.text, request: flow.id)
        let armed = visit.armed(.chooseAccount, flow.id, session.cookie)
        var content: PageContent = [
            "account": .text(try await visit.account(session.browser, in: language)),
            "otherPath": .text(other), "other": .text(PageWord("remembered.other").text(in: language)),
        ]
        if pending.accountSuits {
            let parts = armed.content("accounts.continue", in: language, at: visit.exchange.call.time)
            content["choice"] = .list([
                parts.merging([
                    "action": .text(Endpoint.chooseAccount.path(in: flow)), "request": .text(flow.id),
                    "token": .text(token.text), "module": .text(PageAsset.arm.path),
                ])
            ])
        } else {
            content["unsuitable"] = .text(PageWord("accounts.unsuitable").text(in: language, pending.clientName))
        }
        return try HostedPage(
            template: .accounts, language: language,
            title: PageWord("accounts.titleFor").text(in: language, pending.clientName), content: content
        ).reply()
    }

    /// `POST /accounts/{flow}`.
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
