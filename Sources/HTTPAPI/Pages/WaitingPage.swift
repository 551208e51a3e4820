import Canonical
import IdentityService
import TenureAPI

/// The page of a browser that waits for the decision about its device key.
struct WaitingPage: Sendable {
    let visit: PageVisit
    let flow: BrowserFlow
    let view: WaitView
    let language: PageLanguage

    init(_ visit: PageVisit, _ flow: BrowserFlow, _ view: WaitView) {
        self.visit = visit
        self.flow = flow
        self.view = view
        language = visit.language()
    }

    private func text(_ word: PageWord, _ values: String...) -> PageContent.Value {
        .text(word.text(in: language, values))
    }

    /// The page: who decides while the key waits, or the form that opens the session.
    ///
    /// - Parameter problem: What is wrong with the code that was typed, or with the mail that was asked for.
    func reply(_ problem: PageProblem? = nil) async throws -> Reply {
        view.standing == .authorized ? try await opening() : try waiting(problem)
    }

    /// Where the person begins again: at the same client, or at the page for a log-in.
    private var againPath: PageContent.Value {
        .text(flow.request.isEmpty ? Endpoint.showLogIn.template.text : Endpoint.goOn.path(in: flow))
    }

    private var account: PageContent.Value {
        text("wait.account", view.companyEmployeeId, view.companyName)
    }

    /// The page whose module signs the challenge and sends the form.
    private func opening() async throws -> Reply {
        let visitor = visit.visitor
        var content: PageContent = [
            "account": account, "text": text("wait.opening"), "page": .text(Endpoint.showWaiting.path(in: flow)),
            "challenge": .text(Base64URL.encode(view.challenge)),
            "device": .text(Hex.encode(view.fingerprint)), "company": .text(view.companyName),
            "employee": .text(view.companyEmployeeId), "needsScript": text("page.needsScript"),
            "keyMissing": text("wait.keyMissing"), "again": text("wait.logIn"), "againPath": againPath,
            "module": .text(PageAsset.waiting.path), "replaces": "",
        ]
        if let other = try await visit.session()?.browser, other.employeeID != view.employeeID {
            let id = try await visit.exchange.run(ReadMe(caller: other.caller)).companyEmployeeId ?? ""
            content["replaces"] = .text(other.employeeID.lowercased)
            content["text"] = text("wait.insteadText")
            content["instead"] = text("wait.instead", view.companyEmployeeId, id)
        }
        return try HostedPage(
            template: .waitingEnd, language: language, title: PageWord("wait.openingTitle").text(in: language),
            content: content.merging(visit.form(of: .endWait, visitor))
        ).reply(visitor)
    }

    private func waiting(_ problem: PageProblem?) throws -> Reply {
        let visitor = visit.visitor
        var content: PageContent = [
            "problems": PageProblem.summary(problem.map { [$0] } ?? [], in: language),
            "account": account, "text": text(whoDecides),
            "wordsLabel": text("wait.words"), "words": .text(FingerprintWords(view.fingerprint).text),
            "fingerprintLabel": text("wait.fingerprint"), "fingerprint": .text(Hex.encode(view.fingerprint)),
            "compare": text("wait.compare"), "mail": mail(problem, visitor),
            "live": text("wait.live"), "needsScript": text("wait.needsScript"), "look": text("wait.look"),
            "until": text("wait.until", view.expiresAt.forPeople), "again": text("wait.logIn"), "againPath": againPath,
            "events": .text(Endpoint.streamWaiting.path(in: flow)),
            "page": .text(Endpoint.showWaiting.path(in: flow)), "module": .text(PageAsset.waiting.path),
        ]
        if !view.canSendMail { content["noMail"] = text("wait.noMail") }
        return try HostedPage(
            template: .waiting, language: language, title: PageWord("wait.title").text(in: language), content: content
        ).reply(visitor)
    }

    /// Whom to ask.
    private var whoDecides: PageWord {
        switch (view.isAdministrative, view.hasOtherDevice) {
        case (true, true): "wait.adminDevice"
        case (true, false): "wait.admin"
        case (false, true): "wait.device"
        case (false, false): "wait.ask"
        }
    }

    /// What the page says about mails: that one was sent, with the form for its code, or a button that sends one.
    private func mail(_ problem: PageProblem?, _ visitor: VisitorKey) -> PageContent.Value {
        let hidden = visit.form(of: .enterDeviceCode, visitor), sending = visit.form(of: .sendDeviceMail, visitor)
        var content: PageContent = [
            "mailTitle": text("wait.mailTitle"), "send": text("wait.mailSend"),
            "sendAction": sending["action"] ?? "", "sendToken": sending["token"] ?? "",
            "sendOnce": sending["once"] ?? "",
            "sendError": [problem].compactMap(\.self).text(at: "send"),
        ]
        switch view.mail {
        case .none: return .list([])
        case .possible: content["mailText"] = text("wait.mailPossible")
        case .sent(let until):
            content["mailText"] = text("wait.mailSent", until.forPeople)
            content["send"] = text("wait.mailAgain")
            content["code"] = .list([
                hidden.merging([
                    "codeLabel": text("wait.code"), "codeHint": text("wait.codeHint", "\(view.triesLeft)"),
                    "codeError": [problem].compactMap(\.self).text(at: "code"), "codeSend": text("wait.codeSend"),
                ])
            ])
        }
        return .list([content])
    }
}

extension PageVisit {
    /// The wait of the path's flow; `nil` without one that goes on.
    func waiting() async throws -> (view: WaitView, cookie: String)? {
        guard let cookie = flow?.wait, let view = try await exchange.run(ReadWait(cookie: cookie)) else { return nil }
        return (view, cookie)
    }

    /// Where a browser goes whose wait is gone: on, if another tab has opened the session meanwhile.
    func waitGone(_ flow: BrowserFlow) async throws -> Reply {
        guard try await session() != nil else { return try waitOver(flow) }
        return flow.request.isEmpty
            ? stay(in: flow.at(.done), at: .showAccount) : stay(in: flow.at(.request), at: .goOn)
    }

    /// The page of a wait that is over.
    func waitOver(_ flow: BrowserFlow, isRefused: Bool = false) throws -> Reply {
        let language = language(), hasRequest = !flow.request.isEmpty
        let words: (PageWord, PageWord) =
            isRefused ? ("wait.refusedTitle", "wait.refused") : ("wait.overTitle", "wait.over")
        let again = hasRequest ? Endpoint.goOn.path(in: flow) : Endpoint.showLogIn.template.text
        let page = HostedPage(
            template: .ending, language: language, title: words.0.text(in: language),
            content: [
                "text": .text(words.1.text(in: language)), "again": .text(PageWord("wait.logIn").text(in: language)),
                "againPath": .text(again), "requestLabel": .text(PageWord("notice.request").text(in: language)),
                "requestId": .text(exchange.call.requestId),
            ], status: isRefused ? 403 : 410)
        var reply = try page.reply()
        reply.cookies = flows.setting(flow.at(hasRequest ? .request : .ended))
        return reply
    }
}
