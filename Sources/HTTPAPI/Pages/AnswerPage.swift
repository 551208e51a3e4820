import IdentityService
import TenureAPI

/// The page that leads to a client: at once, by a form where the client asked for one, or by a button.
///
/// Chromium and WebKit hold every redirect after a form against the policy of the form's page. So the answer to a form
/// is this page, and only its policy permits forms that end anywhere.
struct AnswerPage: Sendable {
    let answer: ClientAnswer
    let language: PageLanguage

    /// The page. Nothing but the client's name and the validated URI comes from outside, and the scheme of an app is
    /// opened by the person only.
    var page: HostedPage {
        let goOn = PageWord("flow.goOn").text(in: language, answer.clientName)
        var content: PageContent = [
            "text": .text(PageWord("answer.text").text(in: language)), "module": .text(PageAsset.answer.path),
        ]
        if answer.isFormPost {
            let fields = answer.fields.map { field -> PageContent in
                ["name": .text(field.name), "value": .text(field.value)]
            }
            content["form"] = .list([["action": .text(answer.uri), "fields": .list(fields), "goOn": .text(goOn)]])
        } else {
            content["link"] = .list([["url": .text(answer.url), "goOn": .text(goOn)]])
            if answer.origin != nil { content["refresh"] = .text("0; url=" + answer.url) }
        }
        return HostedPage(template: .answer, language: language, title: goOn, content: content)
    }

    /// The page as a reply.
    func reply() throws -> Reply {
        var reply = try page.reply()
        reply.headers["Content-Security-Policy"] = HostedPage.policyOfAnswers
        return reply
    }
}

extension Route {
    /// `GET /answer/{flow}`: what is next in a flow with a stored request, after a form.
    static let goOn = flow(.goOn) { visit, flow in
        guard !flow.request.isEmpty else { return visit.goOn(in: flow) }
        return try await visit.reply(
            to: try await visit.exchange.run(ContinueAuthorization(handle: flow.request, cookie: visit.cookie)), flow)
    }
}

extension PageVisit {
    /// The reply to a form of a flow, or to a page that a form led to.
    ///
    /// - Parameter isFromPage: Whether the form was that of a page with an armed button.
    func reply(
        to answer: AuthorizationAnswer, _ flow: BrowserFlow, isFromPage: Bool = false
    ) async throws -> Reply {
        switch answer {
        case .fault(.expired): return try await over(flow.at(.ended))
        case .fault(let fault): return try exchange.page(PageNotice(fault))
        case .ask(let page, _, _): return .seeOther(path(of: page, in: flow, isFromPage: isFromPage))
        case .redirect(let answer):
            var reply = try AnswerPage(answer: answer, language: language()).reply()
            reply.cookies = flows.setting(flow.at(.done))
            return reply
        }
    }
}
