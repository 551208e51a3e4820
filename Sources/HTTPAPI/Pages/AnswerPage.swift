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
        let form = AnswerContent.Form(
            action: answer.uri, fields: answer.fields.map { AnswerContent.Field(name: $0.name, value: $0.value) })
        let content = AnswerContent(
            refresh: answer.isFormPost || answer.origin == nil ? nil : "0; url=" + answer.url,
            url: answer.isFormPost ? nil : answer.url, form: answer.isFormPost ? form : nil)
        return HostedPage(content, "flow.goOn", answer.clientName, in: language)
    }

    func reply() throws -> Reply {
        var reply = try page.reply()
        reply.headers["Content-Security-Policy"] = HostedPage.policyOfAnswers
        return reply
    }
}

/// What leads to a client.
struct AnswerContent: PageContent {
    static let template: PageTemplate = "answer"

    /// A form that ends at the client.
    struct Form: PagePart {
        let action: String
        let fields: [Field]
    }

    struct Field: PagePart {
        let name: String
        let value: String
    }

    let refresh: String?
    let url: String?
    let form: Form?
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
        case .fault(let fault):
            guard let notice = PageNotice(fault) else { return try await over(flow.at(.ended)) }
            return try self.reply(refusing: notice)
        case .ask(let page, _, _):
            var reply = Reply.seeOther(path(of: page, in: flow, isFromPage: isFromPage))
            reply.openID = .asked
            return reply
        case .redirect(let answer):
            var reply = try AnswerPage(answer: answer, language: language()).reply()
            reply.openID = OpenIDOutcome(answer)
            reply.cookies = flows.setting(flow.at(.done))
            return reply
        }
    }
}
