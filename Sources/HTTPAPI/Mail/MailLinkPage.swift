import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

/// The page behind the link of a mail.
struct MailLinkPage {
    /// What the page says.
    enum Message: Sendable {
        /// It says what the button that verifies an address does, and for which accounts.
        case verifyAddress(of: [EmployeeSummaryResponse])
        /// It says what the button that verifies a PIN does.
        case verifyPIN
        /// It says what the button that opens the return of a security admin does, and asks for the words, of which
        /// another row may have been wrong.
        case openReturn(WordQuestion, isWrong: Bool)
        /// It says what the button that cancels a return does.
        case cancelReturn
        /// It says what the button that undoes a change of an address does.
        case undoAddress
        /// The former address is in force again.
        case addressUndone
        /// The button did its work, now or earlier.
        case done
        /// Two wrong rows of words have ended the request for a return.
        case refused
        /// The time of the link is over.
        case expired
        /// The link is not one of this service.
        case invalid
        /// Somebody else registered with the address, and gives way in a browser of whoever confirms it.
        case addressHeld
        /// Somebody else has the address and keeps it.
        case addressKept
        /// Wrong PINs have ended the identity, which no mail brings back.
        case blocked
        /// The identity or the registration was ended.
        case ended
        /// The company does not permit PINs now.
        case notPermitted
        /// The identity is verified by somebody else than the reader of the mail.
        case notByMail
        /// The reader's address has sent too many requests.
        case tooMany
        /// The service cannot answer now.
        case unavailable
    }
    let message: Message
    let language: PageLanguage
    /// The id of the request, which a page that helps nobody on shows for whoever helps.
    let requestId: String

    /// The page without a form.
    func page() -> HostedPage {
        switch message {
        case .tooMany: return PageNotice.tooMany.page(in: language, requestId: requestId)
        case .unavailable: return PageNotice.unavailable.page(in: language, requestId: requestId)
        default: break
        }
        let next = NoticeContent.Link(path: Endpoint.showAccount.template.text, label: language.text("flow.toAccount"))
        let content = NoticeContent(
            text: language.text(words.text), link: next, requestId: status == 200 ? nil : requestId)
        return HostedPage(content, words.title, in: language, status: status)
    }

    /// The page with a link to the button, or with the button.
    ///
    /// - Parameter isArmed: Whether a page of this service led here.
    fileprivate func page(
        _ armed: ArmedForm, _ link: MailLinkParameters, isArmed: Bool, at time: Timestamp
    ) -> HostedPage {
        let fields = [(name: "expires", value: link.expires), ("key", link.key)]
        func path(_ more: [(name: String, value: String)] = []) -> String {
            armed.path + "?" + String(decoding: FormEncoding.encode(fields + more), as: UTF8.self)
        }
        var question: WordRows?, isWrong = false
        if case .openReturn(let asked, let wasWrong) = message { (question, isWrong) = (WordRows(asked), wasWrong) }
        var accounts: [MailLinkContent.Account] = []
        if case .verifyAddress(let found) = message { accounts = found.map(MailLinkContent.Account.init) }
        let content = MailLinkContent(
            text: language.text(words.text), accounts: accounts,
            goOnPath: isArmed ? nil : path([("token", armed.link(at: time))]),
            form: isArmed ? armed.part(sentTo: path(), at: time) : nil, question: question, isWrong: isWrong)
        return HostedPage(content, words.title, in: language)
    }

    fileprivate var isQuestion: Bool {
        switch message {
        case .verifyAddress, .verifyPIN, .openReturn, .cancelReturn, .undoAddress: true
        default: false
        }
    }

    private var status: Int {
        switch message {
        case .verifyAddress, .verifyPIN, .openReturn, .cancelReturn, .done, .undoAddress, .addressUndone: 200
        case .refused, .expired, .blocked, .ended: 410
        case .invalid: 400
        case .notPermitted, .addressHeld, .addressKept: 403
        case .notByMail: 409
        case .tooMany: 429
        case .unavailable: 503
        }
    }

    private var words: (title: PageWord, text: PageWord) {
        switch message {
        case .verifyAddress: ("link.addressTitle", "link.address")
        case .verifyPIN: ("link.pinTitle", "link.pin")
        case .openReturn: ("link.returnTitle", "link.return")
        case .cancelReturn: ("link.cancelTitle", "link.cancel")
        case .undoAddress: ("link.undoTitle", "link.undo")
        case .addressUndone: ("link.undoneTitle", "link.undone")
        case .done: ("link.doneTitle", "link.done")
        case .refused: ("link.refusedTitle", "link.refused")
        case .expired: ("link.expiredTitle", "link.expired")
        case .blocked: ("link.blockedTitle", "link.blocked")
        case .ended: ("link.endedTitle", "link.ended")
        case .notPermitted: ("link.notPermittedTitle", "link.notPermitted")
        case .notByMail: ("link.notByMailTitle", "link.notByMail")
        case .addressHeld: ("link.heldTitle", "link.held")
        case .addressKept: ("link.heldTitle", "claim.kept")
        case .invalid, .tooMany, .unavailable: ("link.invalidTitle", "link.invalid")
        }
    }
}

/// What the button behind the link of a mail does. The button says what the title says.
struct MailLinkContent: PageContent {
    static let template: PageTemplate = "mailLink"

    struct Account: PagePart {
        let company: String
        let userName: String

        init(_ account: EmployeeSummaryResponse) {
            (company, userName) = (account.companyName, account.companyEmployeeId ?? "")
        }
    }

    let text: String
    /// Whose address the button confirms.
    let accounts: [Account]
    /// The link to the page with the button.
    let goOnPath: String?
    let form: FormPart?
    let question: WordRows?
    let isWrong: Bool
}

extension RoutedRequest {
    /// Answers whoever opens the link of a mail, or presses the button of its page, which is armed.
    ///
    /// Mail programs open links too, and sites send browsers here, so the first page has only a link to the button.
    ///
    /// - Parameter act: Says what the page says: without a decision nothing changes.
    func mailed(
        _ act: (_ link: MailLinkParameters, _ isDecision: Bool, _ words: [UInt8]?) async throws -> MailLinkPage.Message
    ) async throws -> Reply {
        let visit = PageVisit(exchange: self), link = MailLinkParameters(rawQuery), visitor = visit.visitor
        let path = endpoint.template.path(captures.all)
        let armed = ArmedForm(
            holder: .visitor, cookie: visitor.value, path: path, subject: "\(link.expires)\n\(link.key)")
        func page(_ message: MailLinkPage.Message) -> MailLinkPage {
            MailLinkPage(message: message, language: visit.language(), requestId: call.requestId)
        }
        // A link that opens nothing gets no button, and takes no room for a nonce.
        let shown = page(try await act(link, false, nil)), isPressed = endpoint.method == "POST"
        guard shown.isQuestion else { return try shown.page().reply() }
        guard isPressed else {
            return try shown.page(armed, link, isArmed: armed.mayShow(self), at: call.time).reply(visitor)
        }
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch { return try visit.reply(error.notice) }
        guard try await armed.takes(form.fields, self) else { return try visit.reply(.unarmed) }
        let words = (try? form.fields.text("words")).flatMap { Hex.decode($0) }
        let done = page(try await act(link, true, words))
        return try (done.isQuestion ? done.page(armed, link, isArmed: true, at: call.time) : done.page()).reply()
    }
}

extension Reply {
    /// Replies with the page of a refusal. Status and header fields are those of a problem document.
    init(pageOf refusal: Refusal, requestId: String, languages: [String]) throws {
        self = try MailLinkPage(
            message: MailLinkPage.Message(of: refusal.code), language: PageLanguage(accepted: languages),
            requestId: requestId
        ).page().reply()
        status = refusal.status ?? refusal.code.status
        code = refusal.code.rawValue
        headers[HeaderName.requestId] = requestId
        if let seconds = refusal.retryAfter { headers["Retry-After"] = String(seconds) }
        headers.merge(refusal.headers) { _, own in own }
    }
}

extension MailLinkPage.Message {
    /// What the reader of a mail is told about a refusal.
    init(of code: ErrorCode) {
        switch code {
        case .mpinRequestExpired: self = .expired
        case .mpinBlocked: self = .blocked
        case .mpinEnded: self = .ended
        case .mpinDisabled: self = .notPermitted
        case .mpinWrongState: self = .notByMail
        case .requestRateLimited: self = .tooMany
        default: self = code.status >= 500 || code == .requestStale ? .unavailable : .invalid
        }
    }
}

/// The parameters of a link in a mail: when it expires, and its code.
///
/// Others are ignored: programs that count visits add some.
struct MailLinkParameters {
    /// The time as it was sent; empty without one.
    var expires = ""
    /// The code as it was sent; empty without one.
    var key = ""

    /// Reads a query. A parameter that is given twice, or is no percent-encoded UTF-8, counts as absent.
    init(_ rawQuery: Substring) {
        let pairs = rawQuery.split(separator: "&").map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        func value(_ name: String) -> String {
            let found = pairs.filter { $0[0] == name }
            guard found.count == 1, let pair = found.first, pair.count == 2 else { return "" }
            return PercentEncoding.decode(pair[1]) ?? ""
        }
        expires = value("expires")
        key = value("key")
    }
}
