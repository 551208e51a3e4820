import IdentityService
import TenureAPI

extension Route {
    /// `GET /consent/{flow}`.
    static let showConsent = flow(.showConsent) { visit, flow in
        // The provider knows what is next: another page, the client, or that the request has expired.
        guard let pending = try await visit.pending(), pending.page == .consent,
            let session = try await visit.session()
        else { return visit.goOn(in: flow) }
        let language = visit.language(pending.locales)
        let page = HostedPage(
            template: .consent, language: language,
            title: PageWord.consentTitle.text(in: language, pending.clientName),
            content: [
                "account": .text(try await visit.account(session.browser, in: language)),
                "question": .text(PageWord.consentQuestion.text(in: language, pending.clientName)),
                "scopes": .list(
                    pending.scopes.compactMap(PageWord.init(scope:)).map { ["scope": .text($0.text(in: language))] }),
                "action": .text(Endpoint.answerConsent.path(in: flow)), "request": .text(flow.id),
                "token": .text(
                    FormToken(
                        cookie: session.cookie, path: Endpoint.answerConsent.template.text, request: flow.id
                    ).text),
                "allow": .text(PageWord.consentAllow.text(in: language)),
                "deny": .text(PageWord.consentDeny.text(in: language)),
            ])
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
        let next = try await visit.exchange.run(
            AnswerConsent(handle: flow.request, cookie: form.cookie, isGiven: answer == "allow"))
        return try await visit.reply(to: next, flow)
    }
}
