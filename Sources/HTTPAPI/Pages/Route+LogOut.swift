import IdentityService
import TenureAPI

extension Route {
    /// `GET /logout/confirm/{flow}`. It changes nothing, because any site can send a browser here: without the token of
    /// its own link the page has that link instead of the button.
    static let showLogOut = flow(.showLogOut) { visit, flow in
        let language = visit.language(), time = visit.exchange.call.time
        guard let session = try await visit.session() else { return try visit.reply(.loggedOut) }
        let armed = visit.armed(.confirmLogOut, flow.id, session.cookie)
        var content: PageContent = [
            "account": .text(try await visit.account(session.browser, in: language)),
            "stay": .text(PageWord("logout.stay").text(in: language)),
        ]
        if armed.mayShow(visit.exchange) {
            let token = FormToken(
                cookie: session.cookie, path: Endpoint.confirmLogOut.template.text, request: flow.id)
            content["confirm"] = .list([
                armed.content("logout.confirm", in: language, at: time).merging([
                    "action": .text(Endpoint.confirmLogOut.path(in: flow)), "request": .text(flow.id),
                    "question": .text(PageWord("logout.question").text(in: language)),
                    "token": .text(token.text), "module": .text(PageAsset.arm.path),
                ])
            ])
        } else {
            content["asked"] = .text(PageWord("logout.asked").text(in: language))
            content["goOn"] = .text(PageWord("logout.goOn").text(in: language))
            content["goOnPath"] = .text(
                Endpoint.showLogOut.path(in: flow) + "?token=" + PercentEncoding.encode(armed.link(at: time)))
        }
        return try HostedPage(
            template: .logout, language: language, title: PageWord("logout.title").text(in: language), content: content
        ).reply()
    }

    /// `POST /logout/confirm/{flow}`. Waits of this browser end too: whoever logs out does not come back by itself.
    static let confirmLogOut = flow(.confirmLogOut, body: .form) { visit, flow in
        let exchange = visit.exchange, form: PageForm
        do throws(PageFormRefusal) { form = try PageForm(visit) } catch {
            return try await visit.refused(error) { _ in .seeOther(Endpoint.showLogOut.path(in: flow)) }
        }
        guard try await visit.armed(.confirmLogOut, flow.id, form.cookie).takes(form.fields, exchange) else {
            return try visit.reply(.unarmed)
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
