import IdentityService
import TenureAPI

extension Route {
    /// `GET /logout/confirm`. It changes nothing, because any site can send a browser here: without the token of its own
    /// link the page has that link instead of the button.
    static let showLogOut = Route(page: .showLogOut) { exchange in
        let visit = PageVisit(exchange: exchange), language = visit.language()
        guard let handle = visit.requestOfQuery else { return try visit.reply(.malformed) }
        guard let session = try await visit.session() else { return try visit.reply(.loggedOut) }
        let origin = try await exchange.run(ReadLogOut(handle: handle))
        let armed = visit.armed(.confirmLogOut, handle, session.cookie), time = exchange.call.time
        var content: PageContent = [
            "account": .text(try await visit.account(session.browser, in: language)),
            "stay": .text(PageWord.logoutStay.text(in: language)),
        ]
        if armed.mayShow(exchange) {
            let token = FormToken(
                cookie: session.cookie, path: Endpoint.confirmLogOut.template.text, request: handle)
            content["confirm"] = .list([
                armed.content(.logoutConfirm, in: language, at: time).merging([
                    "question": .text(PageWord.logoutQuestion.text(in: language)), "request": .text(handle),
                    "token": .text(token.text), "module": .text(PageAsset.arm.path),
                ])
            ])
        } else {
            content["asked"] = .text(PageWord.logoutAsked.text(in: language))
            content["goOn"] = .text(PageWord.logoutGoOn.text(in: language))
            content["goOnPath"] = .text(
                visit.path(Endpoint.showLogOut.template.text, for: handle)
                    + "&token=\(PercentEncoding.encode(armed.link(at: time)))")
        }
        return try HostedPage(
            template: .logout, language: language, title: PageWord.logoutTitle.text(in: language), content: content,
            clientOrigin: origin
        ).reply()
    }

    /// `POST /logout/confirm`.
    static let confirmLogOut = Route(page: .confirmLogOut, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange)
        let form: PageForm
        do throws(PageFormRefusal) { form = try PageForm(visit) } catch { return try visit.reply(error.notice) }
        guard try await visit.armed(.confirmLogOut, form.request, form.cookie).takes(form.fields, exchange) else {
            return try visit.reply(.unarmed)
        }
        let answer = try await exchange.run(ConfirmLogOut(handle: form.request, cookie: form.cookie))
        var reply: Reply =
            if case .redirect(let url) = answer { .seeOther(url) } else { try visit.reply(.loggedOut) }
        reply.headers["Set-Cookie"] = exchange.cookie.deleting
        return reply
    }
}
