import IdentityService
import TenureAPI

extension Route {
    /// `GET /consent`.
    static let showConsent = Route(page: .showConsent) { exchange in
        let visit = PageVisit(exchange: exchange)
        guard let handle = visit.requestOfQuery else { return try visit.reply(.malformed) }
        let pending = try await exchange.run(ReadAuthorization(handle: handle, cookie: visit.cookie))
        // The provider knows what is next: another page, the client, or that the request has expired.
        guard let pending, pending.page == .consent, let session = try await visit.session() else {
            return exchange.goingOn(with: handle)
        }
        let language = visit.language(pending.locales)
        var page = HostedPage(
            template: .consent, language: language,
            title: PageWord.consentTitle.text(in: language, pending.clientName),
            content: [
                "account": .text(try await visit.account(session.browser, in: language)),
                "question": .text(PageWord.consentQuestion.text(in: language, pending.clientName)),
                "scopes": .list(
                    pending.scopes.compactMap(PageWord.init(scope:)).map { ["scope": .text($0.text(in: language))] }),
                "request": .text(handle),
                "token": .text(
                    FormToken(
                        cookie: session.cookie, path: Endpoint.answerConsent.template.text, request: handle
                    ).text),
                "allow": .text(PageWord.consentAllow.text(in: language)),
                "deny": .text(PageWord.consentDeny.text(in: language)),
            ], clientOrigin: pending.origin)
        if pending.isUnassured {
            page.content["program"] = .text(PageWord.consentProgram.text(in: language, pending.clientName))
        }
        return try page.reply()
    }

    /// `POST /consent`.
    static let answerConsent = Route(page: .answerConsent, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange)
        let form: PageForm
        do throws(PageFormRefusal) { form = try PageForm(visit) } catch { return try visit.reply(error.notice) }
        let answer = try? form.fields.text("answer")
        guard answer == "allow" || answer == "deny" else { return try visit.reply(.malformed) }
        let next = try await exchange.run(
            AnswerConsent(handle: form.request, cookie: form.cookie, isGiven: answer == "allow"))
        if next == .fault(.expired) { return try visit.reply(.expired) }
        return exchange.reply(to: next)
    }
}

extension RoutedRequest {
    /// Sends the browser to the provider, which goes on with a stored request.
    func goingOn(with handle: String) -> Reply {
        .seeOther("\(Endpoint.authorize.template.text)?continue=\(PercentEncoding.encode(handle))")
    }
}
