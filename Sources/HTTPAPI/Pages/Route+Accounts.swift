import IdentityService
import TenureAPI

extension Route {
    /// `GET /accounts`.
    static let showAccounts = Route(page: .showAccounts) { exchange in
        let visit = PageVisit(exchange: exchange)
        guard let handle = visit.requestOfQuery else { return try visit.reply(.malformed) }
        guard let pending = try await visit.pending(handle), pending.page == .chooseAccount else {
            return exchange.goingOn(with: handle)
        }
        let other = visit.path(Endpoint.showLogIn.template.text, for: handle)
        // Without a session there is nothing to choose.
        guard let session = try await visit.session() else { return .seeOther(other) }
        let language = visit.language(pending.locales)
        let token = FormToken(
            cookie: session.cookie, path: Endpoint.chooseAccount.template.text, request: handle)
        var content: PageContent = [
            "account": .text(try await visit.account(session.browser, in: language)),
            "otherPath": .text(other), "other": .text(PageWord.rememberedOther.text(in: language)),
        ]
        if pending.accountSuits {
            content["choice"] = .list([
                [
                    "request": .text(handle), "token": .text(token.text),
                    "continue": .text(PageWord.accountsContinue.text(in: language)),
                ]
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
        let next = try await exchange.run(ChooseAccount(handle: form.request, cookie: form.cookie))
        if next == .fault(.expired) { return try visit.reply(.expired) }
        return exchange.reply(to: next)
    }
}
