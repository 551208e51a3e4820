import IdentityService
import TenureAPI

extension Route {
    /// `GET /logout/confirm`. It changes nothing, because any site can send a browser here.
    static let showLogOut = Route(page: .showLogOut) { exchange in
        let visit = PageVisit(exchange: exchange), language = visit.language()
        guard let handle = visit.requestOfQuery else { return try visit.reply(.malformed) }
        guard let session = try await visit.session() else { return try visit.reply(.loggedOut) }
        let origin = try await exchange.run(ReadLogOut(handle: handle))
        let page = HostedPage(
            template: .logout, language: language, title: PageWord.logoutTitle.text(in: language),
            content: [
                "account": .text(try await visit.account(session.browser, in: language)),
                "question": .text(PageWord.logoutQuestion.text(in: language)),
                "request": .text(handle),
                "token": .text(
                    FormToken(
                        cookie: session.cookie, path: Endpoint.confirmLogOut.template.text, request: handle
                    ).text),
                "logOut": .text(PageWord.logoutConfirm.text(in: language)),
                "stay": .text(PageWord.logoutStay.text(in: language)),
            ], clientOrigin: origin)
        return try page.reply()
    }

    /// `POST /logout/confirm`.
    static let confirmLogOut = Route(page: .confirmLogOut, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange)
        let form: PageForm
        do throws(PageFormRefusal) { form = try PageForm(visit) } catch { return try visit.reply(error.notice) }
        let answer = try await exchange.run(ConfirmLogOut(handle: form.request, cookie: form.cookie))
        var reply: Reply =
            if case .redirect(let url) = answer { .seeOther(url) } else { try visit.reply(.loggedOut) }
        reply.headers["Set-Cookie"] = exchange.cookie.deleting
        return reply
    }
}
