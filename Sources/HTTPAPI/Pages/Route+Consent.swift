import IdentityService
import TenureAPI

/// The question for consent to a client.
struct ConsentContent: PageContent {
    static let template: PageTemplate = "consent"
    let account: String
    /// That the client is a program whose name nobody assures.
    let program: String?
    let question: String
    let scopes: [String]
    let form: FormPart
}

extension Route {
    /// `GET /consent/{flow}`. Any other way than from a page of this service leads to the choice of the account, which
    /// names the client.
    static let showConsent = flow(.showConsent) { visit, flow in
        // The provider knows what is next: another page, the client, or that the request has expired.
        guard let pending = try await visit.pending(), pending.page == .consent,
            let session = try await visit.session()
        else { return visit.goOn(in: flow) }
        let armed = visit.armed(.answerConsent, flow.id, session.cookie)
        guard armed.mayShow(visit.exchange) else { return .seeOther(Endpoint.showAccounts.path(in: flow)) }
        let language = visit.language(pending.locales)
        let content = ConsentContent(
            account: try await visit.account(session.browser, in: language),
            program: pending.isUnassured ? language.text("consent.program", pending.clientName) : nil,
            question: language.text("consent.question", pending.clientName),
            scopes: pending.scopes.compactMap(PageWord.init(scope:)).map { language.text($0) },
            form: armed.part(
                sentTo: Endpoint.answerConsent.path(in: flow), request: flow.id, at: visit.exchange.call.time))
        return try HostedPage(content, "consent.title", pending.clientName, in: language).reply()
    }

    static let answerConsent = flow(.answerConsent, body: .form) { visit, flow in
        let form: PageForm
        do throws(PageFormRefusal) { form = try PageForm(visit) } catch {
            return try await visit.refused(error) { _ in visit.goOn(in: flow) }
        }
        let answer = try? form.fields.text("answer")
        guard answer == "allow" || answer == "deny" else { return try visit.reply(.malformed) }
        // Who denies gives nothing away.
        if answer == "allow",
            try await !visit.armed(.answerConsent, flow.id, form.cookie).takes(form.fields, visit.exchange)
        {
            return try visit.reply(.unarmed)
        }
        let next = try await visit.exchange.run(
            AnswerConsent(handle: flow.request, cookie: form.cookie, isGiven: answer == "allow"))
        return try await visit.reply(to: next, flow)
    }
}

extension PageVisit {
    /// The path of a page that asks something about the request of a flow. A page of this service that led here leads on
    /// to the question for consent; any other way leads to the choice of the account first.
    ///
    /// - Parameter isFromPage: Whether a form of such a page was just taken.
    func path(of page: AuthorizationAnswer.Page, in flow: BrowserFlow, isFromPage: Bool = false) -> String {
        let path = "\(page.rawValue)/\(flow.id)"
        guard page == .consent, isFromPage || exchange.isSaidFromHere, let cookie else { return path }
        return path + "?token="
            + PercentEncoding.encode(armed(.answerConsent, flow.id, cookie).link(at: exchange.call.time))
    }
}
