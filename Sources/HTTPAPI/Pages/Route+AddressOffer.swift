import ErrorCodes
import IdentityService
import TenureAPI

/// The offer of the mail that confirms the address which a client asks for.
struct AddressOfferContent: PageContent {
    static let template: PageTemplate = "addressOffer"
    let account: String
    let text: String
    let isMailed: Bool
    /// Why no mail was sent.
    let problem: String?
    /// Where the person goes on after the mail.
    let goOnPath: String
    let form: FormPart
}

extension Endpoint {
    static let showAddressOffer = Endpoint(
        page: "GET", "/address/{flow}", "Offer the mail that confirms the address which a client asks for")
    static let answerAddressOffer = Endpoint(
        page: "POST", "/address/{flow}", "Send the mail, or go on at the client without the address")
}

extension Route {
    /// `GET /address/{flow}`. Whoever has confirmed the address meanwhile goes on to the client.
    static let showAddressOffer = flow(.showAddressOffer) { visit, flow in try await visit.addressOffer(flow) }

    static let answerAddressOffer = flow(.answerAddressOffer, body: .form) { visit, flow in
        let form: PageForm
        do throws(PageFormRefusal) { form = try PageForm(visit) } catch {
            return try await visit.refused(error) { _ in visit.goOn(in: flow) }
        }
        switch try? form.fields.text("answer") {
        case "mail":
            guard let session = try await visit.session() else { return visit.goOn(in: flow) }
            let languages = visit.languages
            do {
                _ = try await visit.exchange.run(
                    VerifyMyEmail(caller: session.browser.caller, languages: languages))
            } catch let error as ServiceError {
                guard let word = PageWord(mailRefusal: error.code) else { throw error }
                return try await visit.addressOffer(flow, AccountProblem(word: word, status: error.code.status))
            }
            return .seeOther("\(Endpoint.showAddressOffer.path(in: flow))?\(AccountVisit.mailed)")
        case "without":
            let next = try await visit.exchange.run(GoOnWithoutAddress(handle: flow.request, cookie: form.cookie))
            return try await visit.reply(to: next, flow)
        default: return try visit.reply(.malformed)
        }
    }
}

extension PageVisit {
    /// The page, or where the request leads if it waits for something else.
    fileprivate func addressOffer(_ flow: BrowserFlow, _ problem: AccountProblem? = nil) async throws -> Reply {
        guard let pending = try await pending(), pending.page == .address, let session = try await session() else {
            return goOn(in: flow)
        }
        let language = language(pending.locales), path = Endpoint.answerAddressOffer.template.text
        let content = AddressOfferContent(
            account: try await account(session.browser, in: language),
            text: language.text("address.asked", pending.clientName),
            isMailed: exchange.rawQuery == AccountVisit.mailed, problem: problem?.word.text(in: language),
            goOnPath: Endpoint.goOn.path(in: flow),
            form: FormPart(
                action: Endpoint.answerAddressOffer.path(in: flow),
                token: FormToken(cookie: session.cookie, path: path, request: flow.id).text, request: flow.id))
        return try HostedPage(content, "address.title", in: language, status: problem?.status ?? 200).reply()
    }
}
