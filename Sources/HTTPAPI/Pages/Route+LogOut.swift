import IdentityService
import TenureAPI

/// The question before a log-out that no client of the session asked for.
struct LogOutContent: PageContent {
    static let template: PageTemplate = "logout"
    let account: String
    /// The link to the page with the button.
    let goOnPath: String?
    let form: FormPart?
}

extension Route {
    /// `GET /logout/confirm/{flow}`. It changes nothing, because any site can send a browser here: without the token of
    /// its own link the page has that link instead of the button.
    static let showLogOut = flow(.showLogOut) { visit, flow in
        let language = visit.language(), time = visit.exchange.call.time
        guard let session = try await visit.session() else { return try visit.reply(.loggedOut) }
        let armed = visit.armed(.confirmLogOut, flow.id, session.cookie)
        let isArmed = armed.mayShow(visit.exchange)
        let content = LogOutContent(
            account: try await visit.account(session.browser, in: language),
            goOnPath: isArmed
                ? nil : Endpoint.showLogOut.path(in: flow) + "?token=" + PercentEncoding.encode(armed.link(at: time)),
            form: isArmed
                ? armed.part(sentTo: Endpoint.confirmLogOut.path(in: flow), request: flow.id, at: time) : nil)
        return try HostedPage(content, "logout.title", in: language).reply()
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
            switch answer {
            case .redirect(let answer): try AnswerPage(answer: answer, language: visit.language()).reply()
            case .done(let fault): try visit.reply(PageNotice(loggedOut: fault))
            case .ask: try visit.reply(.loggedOut)
            }
        reply.openID = .success
        reply.cookies =
            [exchange.cookie.deleting] + visit.flows.setting(flow.at(.ended)) + visit.flows.deletingWaits
        return reply
    }
}
