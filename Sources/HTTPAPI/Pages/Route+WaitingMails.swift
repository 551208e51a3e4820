import IdentityService
import TenureAPI

/// The page that stops the mails to an admin about who waits.
struct WaitingMailsContent: PageContent {
    static let template: PageTemplate = "waitingMails"
    /// The path of the page, with its link.
    let path: String
}

extension Route {
    /// `GET /waiting/admins/{tenantId}/{userId}`. It changes nothing, because mail programs open links too.
    static let showWaitingMails = Route(page: .showWaitingMails) { exchange in
        try await exchange.stopWaitingMails(isDecision: false)
    }

    /// `POST /waiting/admins/{tenantId}/{userId}`, by the button of the page or of a mail program. The code of the link is
    /// all that it needs: it takes only mails away.
    static let stopWaitingMails = Route(page: .stopWaitingMails, body: .form) { exchange in
        try await exchange.stopWaitingMails(isDecision: true)
    }
}

extension RoutedRequest {
    fileprivate func stopWaitingMails(isDecision: Bool) async throws -> Reply {
        let language = PageVisit(exchange: self).language(), link = MailLinkParameters(rawQuery)
        let answer = try await run(
            StopWaitingMails(
                tenant: captures["tenantId"], user: captures["userId"], expires: link.expires, key: link.key,
                isDecision: isDecision))
        func notice(_ title: PageWord, _ text: PageWord, status: Int = 200) throws -> Reply {
            try HostedPage(NoticeContent(text: language.text(text)), title, in: language, status: status).reply()
        }
        switch answer {
        case .pending:
            let query = FormEncoding.encode([(name: "expires", value: link.expires), ("key", link.key)])
            let path = endpoint.template.path(captures.all) + "?" + String(decoding: query, as: UTF8.self)
            return try HostedPage(WaitingMailsContent(path: path), "stop.title", in: language).reply()
        case .verified: return try notice("stop.doneTitle", "stop.done")
        case .expired: return try notice("link.expiredTitle", "link.expired", status: 410)
        case .invalid: return try notice("link.invalidTitle", "link.invalid", status: 400)
        }
    }
}
