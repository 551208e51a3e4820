import Canonical
import IdentityService
import TenureAPI

/// The page of a browser that waits for the decision about its device key.
struct WaitingPage: Sendable {
    let visit: PageVisit
    let flow: BrowserFlow
    let view: WaitView
    let language: PageLanguage
    /// The code that was typed and refused.
    private let entered: String

    init(_ visit: PageVisit, _ flow: BrowserFlow, _ view: WaitView, entered: String = "") {
        self.entered = entered
        self.visit = visit
        self.flow = flow
        self.view = view
        language = visit.language()
    }

    /// The page: who decides while the key waits, or the form that opens the session.
    ///
    /// - Parameter problem: What is wrong with the code that was typed, or with the mail that was asked for.
    func reply(_ problem: FieldProblem? = nil) async throws -> Reply {
        view.standing == .authorized ? try await opening() : try waiting(problem)
    }

    /// Where the person begins again: at the same client, or at the page for a log-in.
    private var againPath: String {
        flow.request.isEmpty ? Endpoint.showLogIn.template.text : Endpoint.goOn.path(in: flow)
    }

    private var account: String { language.text("wait.account", view.companyEmployeeId, view.companyName) }

    /// The page whose module signs the challenge and sends the form.
    private func opening() async throws -> Reply {
        let visitor = visit.visitor
        var replaces = "", instead: String?
        if let other = try await visit.session()?.browser, other.employeeID != view.employeeID {
            let id = try await visit.exchange.run(ReadMe(caller: other.caller)).companyEmployeeId ?? ""
            replaces = other.employeeID.lowercased
            instead = language.text("wait.instead", view.companyEmployeeId, id)
        }
        let content = WaitingEndContent(
            account: account, text: language.text(instead == nil ? "wait.opening" : "wait.insteadText"),
            challenge: Base64URL.encode(view.challenge), device: Hex.encode(view.fingerprint),
            company: view.companyName, employee: view.companyEmployeeId, path: Endpoint.showWaiting.path(in: flow),
            replaces: replaces, instead: instead, againPath: againPath, form: visit.form(of: .endWait, visitor),
            passkey: SigningPasskey(view.passkey, key: view.key))
        return try HostedPage(content, "wait.openingTitle", in: language).reply(visitor)
    }

    private func waiting(_ problem: FieldProblem?) throws -> Reply {
        let visitor = visit.visitor
        let content = WaitingContent(
            problems: FieldProblems(problem.map { [$0] } ?? [], in: language), account: account,
            text: language.text(whoDecides), told: language.text(told.word, told.time),
            words: FingerprintWords(view.fingerprint).text,
            fingerprint: Hex.encode(view.fingerprint), saysNoMail: !view.canSendMail, mail: mail(visitor),
            eventsPath: "\(Endpoint.streamWaiting.path(in: flow))?mail=\(view.mail.word)",
            path: Endpoint.showWaiting.path(in: flow),
            until: language.text("wait.until", view.expiresAt.forPeople),
            returnPath: view.mayReturn ? Endpoint.showWayBack.template.text : nil, againPath: againPath)
        return try HostedPage(content, "wait.title", in: language, status: problem?.status ?? 200).reply(visitor)
    }

    /// Who was told that the browser waits.
    private var told: (word: PageWord, time: String) {
        switch view.told {
        case .none: ("wait.toldNone", "")
        case .soon: ("wait.toldSoon", "")
        case .at(let time): ("wait.toldAt", time.forPeople)
        }
    }

    /// Whom to ask.
    private var whoDecides: PageWord {
        if view.needsApproval { return view.isApproved ? "wait.onlyPerson" : "wait.needsPerson" }
        return switch (view.isAdministrative, view.hasOtherDevice) {
        case (true, true): "wait.adminDevice"
        case (true, false): "wait.admin"
        case (false, true): "wait.device"
        case (false, false): "wait.ask"
        }
    }

    /// What the page says about mails: that one was sent, with the form for its code, that one waits, or a button that
    /// sends one.
    private func mail(_ visitor: VisitorKey) -> WaitingContent.Mail? {
        let form = visit.form(of: .sendDeviceMail, visitor)
        switch view.mail {
        case .none: return nil
        case .possible:
            return WaitingContent.Mail(
                text: language.text("wait.mailPossible"), code: nil, send: language.text("wait.mailSend"), form: form)
        case .held(let until):
            return WaitingContent.Mail(
                text: language.text("wait.mailHeld", until.forPeople), code: nil, send: nil, form: form)
        case .fresh(let until), .sent(let until):
            let code = WaitingContent.Code(
                hint: language.text("wait.codeHint", "\(view.triesLeft)"), entered: entered,
                form: visit.form(of: .enterDeviceCode, visitor))
            return WaitingContent.Mail(
                text: language.text("wait.mailSent", until.forPeople), code: code,
                send: language.text("wait.mailAgain"), form: form)
        }
    }
}

extension WaitView {
    /// Whether the first attempt to send a mail is not over.
    var isMailFresh: Bool { if case .fresh = mail { true } else { false } }
}

extension WaitView.Mail {
    /// What the page says about mails, for its stream.
    var word: String {
        switch self {
        case .none: "none"
        case .possible: "possible"
        case .held: "held"
        case .fresh, .sent: "sent"
        }
    }
}

/// Whom a browser waits for, with the form for the code of a mail.
struct WaitingContent: PageContent {
    static let template: PageTemplate = "waiting"

    struct Mail: PagePart {
        let text: String
        let code: Code?
        /// What the button that sends a mail says; `nil` while one waits.
        let send: String?
        let form: FormPart
    }

    struct Code: PagePart {
        let hint: String
        /// The code that was typed and refused.
        let entered: String
        let form: FormPart
    }

    let problems: FieldProblems?
    let account: String
    let text: String
    /// Who was told that the browser waits.
    let told: String
    let words: String
    let fingerprint: String
    let saysNoMail: Bool
    let mail: Mail?
    let eventsPath: String
    let path: String
    let until: String
    /// The page on which a founder who is alone asks for a return; `nil` for others.
    let returnPath: String?
    let againPath: String
}

/// The page whose module opens the session that a browser waited for.
struct WaitingEndContent: PageContent {
    static let template: PageTemplate = "waitingEnd"
    let account: String
    let text: String
    let challenge: String
    /// The fingerprint of the device key.
    let device: String
    let company: String
    let employee: String
    let path: String
    /// The account that is logged in instead; empty for none.
    let replaces: String
    /// What the button that replaces that account says.
    let instead: String?
    let againPath: String
    let form: FormPart
    /// The passkey that signs; `nil` for the key of this browser.
    let passkey: SigningPasskey?
}

extension PageVisit {
    /// The wait of the path's flow; `nil` without one that goes on.
    ///
    /// - Parameter isForPage: Whether a page may show it, which says who was told.
    func waiting(isForPage: Bool = false) async throws -> (view: WaitView, cookie: String)? {
        guard let cookie = flow?.wait,
            let view = try await exchange.run(ReadWait(cookie: cookie, readsTold: isForPage))
        else { return nil }
        return (view, cookie)
    }

    /// Where a browser goes whose wait is gone: on, if another tab has opened the session meanwhile.
    func waitGone(_ flow: BrowserFlow) async throws -> Reply {
        guard try await session() != nil else { return try waitOver(flow) }
        return flow.request.isEmpty
            ? stay(in: flow.at(.done), at: .showAccount) : stay(in: flow.at(.request), at: .goOn)
    }

    func waitOver(_ flow: BrowserFlow, isRefused: Bool = false) throws -> Reply {
        let language = language(), hasRequest = !flow.request.isEmpty
        let words: (PageWord, PageWord) =
            isRefused ? ("wait.refusedTitle", "wait.refused") : ("wait.overTitle", "wait.over")
        let again = hasRequest ? Endpoint.goOn.path(in: flow) : Endpoint.showLogIn.template.text
        let content = EndingContent(
            text: language.text(words.1), againPath: again, again: language.text("wait.logIn"),
            requestId: exchange.call.requestId)
        var reply = try HostedPage(content, words.0, in: language, status: isRefused ? 403 : 410).reply()
        reply.cookies = flows.setting(flow.at(hasRequest ? .request : .ended))
        return reply
    }
}
