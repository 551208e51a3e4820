import IdentityService
import TenureAPI

extension Route {
    /// `GET /accounts`. The page leads to the question for consent too, for a browser that no page of this service sent
    /// there.
    static let showAccounts = Route(page: .showAccounts) { exchange in
        let visit = PageVisit(exchange: exchange)
        guard let handle = visit.requestOfQuery else { return try visit.reply(.malformed) }
        guard let pending = try await visit.pending(handle), pending.page != .logIn else {
            return exchange.goingOn(with: handle)
        }
        let other = visit.path(Endpoint.showLogIn.template.text, for: handle)
        // Without a session there is nothing to choose.
        guard let session = try await visit.session() else { return .seeOther(other) }
        let language = visit.language(pending.locales)
        let token = FormToken(
            cookie: session.cookie, path: Endpoint.chooseAccount.template.text, request: handle)
        let armed = visit.armed(.chooseAccount, handle, session.cookie)
        var content: PageContent = [
            "account": .text(try await visit.account(session.browser, in: language)),
            "otherPath": .text(other), "other": .text(PageWord.rememberedOther.text(in: language)),
        ]
        if pending.accountSuits {
            let parts = armed.content(.accountsContinue, in: language, at: exchange.call.time)
            content["choice"] = .list([
                parts.merging([
                    "request": .text(handle), "token": .text(token.text), "module": .text(PageAsset.arm.path),
                ])
            ])
        } else {
            content["unsuitable"] = .text(PageWord.accountsUnsuitable.text(in: language, pending.clientName))
        }
        return try HostedPage(
            template: .accounts, language: language,
            title: PageWord.accountsTitleFor.text(in: language, pending.clientName), content: content,
            clientOrigin: pending.origin
        ).reply()
    }

    /// `POST /accounts`.
    static let chooseAccount = Route(page: .chooseAccount, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange)
        let form: PageForm
        do throws(PageFormRefusal) { form = try PageForm(visit) } catch { return try visit.reply(error.notice) }
        guard try await visit.armed(.chooseAccount, form.request, form.cookie).takes(form.fields, exchange) else {
            return try visit.reply(.unarmed)
        }
        let next = try await exchange.run(ChooseAccount(handle: form.request, cookie: form.cookie))
        if case .ask(let page, let handle) = next {
            return .seeOther(exchange.path(of: page, for: handle, isFromPage: true))
        }
        if next == .fault(.expired) { return try visit.reply(.expired) }
        return exchange.reply(to: next)
    }
}
