import Canonical
import IdentityService
import TenureAPI

/// The page of a browser that waits for the decision about its device key.
struct WaitingPage: Sendable {
    let visit: PageVisit
    let view: WaitView
    let language: PageLanguage

    init(_ visit: PageVisit, _ view: WaitView) {
        self.visit = visit
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

    private var account: PageContent.Value {
        text(.waitAccount, view.companyEmployeeId, view.companyName)
    }

    /// The page whose module signs the challenge and sends the form.
    private func opening() async throws -> Reply {
        let visitor = visit.visitor
        let content: PageContent = [
            "account": account, "text": text(.waitOpening), "challenge": .text(Base64URL.encode(view.challenge)),
            "device": .text(Hex.encode(view.fingerprint)), "company": .text(view.companyName),
            "employee": .text(view.companyEmployeeId), "needsScript": text(.pageNeedsScript),
            "keyMissing": text(.waitKeyMissing), "again": text(.waitLogIn), "againPath": "/login",
            "module": .text(PageAsset.waiting.path),
        ]
        return try HostedPage(
            template: .waitingEnd, language: language, title: PageWord.waitOpeningTitle.text(in: language),
            content: content.merging(visit.hiddenFields(of: .endWait, subject: "", visitor)),
            clientOrigin: try await visit.pending(view.request)?.origin
        ).reply(visitor)
    }

    private func waiting(_ problem: PageProblem?) throws -> Reply {
        let visitor = visit.visitor
        var content: PageContent = [
            "problems": PageProblem.summary(problem.map { [$0] } ?? [], in: language),
            "account": account, "text": text(whoDecides),
            "wordsLabel": text(.waitWords), "words": .text(FingerprintWords(view.fingerprint).text),
            "fingerprintLabel": text(.waitFingerprint), "fingerprint": .text(Hex.encode(view.fingerprint)),
            "compare": text(.waitCompare), "mail": mail(problem, visitor),
            "live": text(.waitLive), "needsScript": text(.waitNeedsScript), "look": text(.waitLook),
            "until": text(.waitUntil, view.expiresAt.forPeople), "again": text(.waitLogIn), "againPath": "/login",
            "events": .text(Endpoint.streamWaiting.template.text), "module": .text(PageAsset.waiting.path),
        ]
        if !view.canSendMail { content["noMail"] = text(.waitNoMail) }
        return try HostedPage(
            template: .waiting, language: language, title: PageWord.waitTitle.text(in: language), content: content
        ).reply(visitor)
    }

    /// Whom to ask.
    private var whoDecides: PageWord {
        switch (view.isAdministrative, view.hasOtherDevice) {
        case (true, true): .waitAdminDevice
        case (true, false): .waitAdmin
        case (false, true): .waitDevice
        case (false, false): .waitAsk
        }
    }

    /// What the page says about mails: that one was sent, with the form for its code, or a button that sends one.
    private func mail(_ problem: PageProblem?, _ visitor: VisitorKey) -> PageContent.Value {
        let hidden = visit.hiddenFields(of: .enterDeviceCode, subject: "", visitor)
        let sending = visit.hiddenFields(of: .sendDeviceMail, subject: "", visitor)
        var content: PageContent = [
            "mailTitle": text(.waitMailTitle), "send": text(.waitMailSend),
            "sendToken": sending["token"] ?? "", "sendOnce": sending["once"] ?? "",
            "sendError": [problem].compactMap(\.self).text(at: "send"),
        ]
        switch view.mail {
        case .none: return .list([])
        case .possible: content["mailText"] = text(.waitMailPossible)
        case .sent(let until):
            content["mailText"] = text(.waitMailSent, until.forPeople)
            content["send"] = text(.waitMailAgain)
            content["code"] = .list([
                hidden.merging([
                    "codeLabel": text(.waitCode), "codeHint": text(.waitCodeHint, "\(view.triesLeft)"),
                    "codeError": [problem].compactMap(\.self).text(at: "code"), "codeSend": text(.waitCodeSend),
                ])
            ])
        }
        return .list([content])
    }
}

extension PageVisit {
    /// The cookie of waits.
    var waitCookie: WaitCookieField { WaitCookieField(publicURL: exchange.publicURL) }

    /// The wait of the browser's cookie; `nil` without one that goes on.
    func waiting() async throws -> (view: WaitView, cookie: String)? {
        guard let cookie = waitCookie.value(in: exchange.headers),
            let view = try await exchange.run(ReadWait(cookie: cookie))
        else { return nil }
        return (view, cookie)
    }

    /// Where a browser goes whose wait is gone: to the account, if another tab has opened the session meanwhile.
    func waitGone() async throws -> Reply {
        guard try await session() != nil else { return try waitOver() }
        var reply = Reply.seeOther("/account")
        reply.cookies.append(waitCookie.deleting)
        return reply
    }

    /// The page of a wait that is over. Its cookie goes.
    func waitOver(isRefused: Bool = false) throws -> Reply {
        let language = language()
        let words: (PageWord, PageWord) =
            isRefused ? (.waitRefusedTitle, .waitRefused) : (.waitOverTitle, .waitOver)
        let page = HostedPage(
            template: .ending, language: language, title: words.0.text(in: language),
            content: [
                "text": .text(words.1.text(in: language)), "again": .text(PageWord.waitLogIn.text(in: language)),
                "againPath": "/login", "requestLabel": .text(PageWord.noticeRequest.text(in: language)),
                "requestId": .text(exchange.call.requestId),
            ], status: isRefused ? 403 : 410)
        var reply = try page.reply()
        reply.cookies.append(waitCookie.deleting)
        return reply
    }
}
