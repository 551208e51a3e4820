import IdentityService
import TenureAPI

extension Route {
    /// `GET /logout/confirm/{flow}`. It changes nothing, because any site can send a browser here.
    static let showLogOut = flow(.showLogOut) { visit, flow in
        let language = visit.language()
        guard let session = try await visit.session() else { return try visit.reply(.loggedOut) }
        let page = HostedPage(
            template: .logout, language: language, title: PageWord.logoutTitle.text(in: language),
            content: [
                "account": .text(try await visit.account(session.browser, in: language)),
                "question": .text(PageWord.logoutQuestion.text(in: language)),
                "action": .text(Endpoint.confirmLogOut.path(in: flow)), "request": .text(flow.id),
                "token": .text(
                    FormToken(
                        cookie: session.cookie, path: Endpoint.confirmLogOut.template.text, request: flow.id
                    ).text),
                "logOut": .text(PageWord.logoutConfirm.text(in: language)),
                "stay": .text(PageWord.logoutStay.text(in: language)),
            ])
        return try page.reply()
    }

    /// `POST /logout/confirm/{flow}`. Waits of this browser end too: whoever logs out does not come back by itself.
    static let confirmLogOut = flow(.confirmLogOut, body: .form) { visit, flow in
        let exchange = visit.exchange, form: PageForm
        do throws(PageFormRefusal) { form = try PageForm(visit) } catch {
            return try await visit.refused(error) { _ in .seeOther(Endpoint.showLogOut.path(in: flow)) }
        }
        let answer = try await exchange.run(ConfirmLogOut(handle: flow.request, cookie: form.cookie))
        var reply: Reply =
            if case .redirect(let answer) = answer {
                try AnswerPage(answer: answer, language: visit.language()).reply()
            } else { try visit.reply(.loggedOut) }
        reply.cookies =
            [exchange.cookie.deleting] + visit.flows.setting(flow.at(.ended)) + visit.flows.deletingWaits
        return reply
    }
}
