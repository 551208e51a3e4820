import IdentityService
import TenureAPI

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
        var page = HostedPage(
            template: .consent, language: language,
            title: PageWord("consent.title").text(in: language, pending.clientName),
            content: armed.content("consent.allow", in: language, at: visit.exchange.call.time).merging([
                "account": .text(try await visit.account(session.browser, in: language)),
                "question": .text(PageWord("consent.question").text(in: language, pending.clientName)),
                "scopes": .list(
                    pending.scopes.compactMap(PageWord.init(scope:)).map { ["scope": .text($0.text(in: language))] }),
                "action": .text(Endpoint.answerConsent.path(in: flow)), "request": .text(flow.id),
                "token": .text(
                    FormToken(
                        cookie: session.cookie, path: Endpoint.answerConsent.template.text, request: flow.id
                    ).text),
                "deny": .text(PageWord("consent.deny").text(in: language)), "module": .text(PageAsset.arm.path),
            ]))
        if pending.isUnassured {
            page.content["program"] = .text(PageWord("consent.program").text(in: language, pending.clientName))
        }
        return try page.reply()
    }

    /// `POST /consent/{flow}`.
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
