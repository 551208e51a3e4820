import IdentityService
import TenureAPI

extension Route {
    /// `GET /waiting/mail/{tenantId}/{flowId}`, the link of a mail. It changes nothing, because mail programs open
    /// links too. The link leads to a page with another link, and only that one to the button that confirms.
    static let showDeviceMail = Route(page: .showDeviceMail) { exchange in
        let visit = PageVisit(exchange: exchange)
        let query = try? FormReader(exchange.rawQuery.utf8)
        let link = visit.deviceMailLink(
            (try? query?.text("expires")) ?? "", (try? query?.text("key")) ?? "")
        let cookie = visit.flows.waiting(for: link)?.wait
        guard let view = try await exchange.run(ReadDeviceMail(link: link, cookie: cookie)) else {
            return try visit.deviceMail("mail.overTitle", "mail.over", status: 410)
        }
        return try visit.deviceMail(link, view)
    }

    /// `POST /waiting/mail/{tenantId}/{flowId}`, by a button of the page.
    static let answerDeviceMail = Route(page: .answerDeviceMail, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange)
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch { return try visit.reply(error.notice) }
        let answer = try? form.fields.text("answer")
        guard answer == "confirm" || answer == "refuse" else { return try visit.reply(.malformed) }
        let link = visit.deviceMailLink(
            (try? form.fields.text("expires")) ?? "", (try? form.fields.text("key")) ?? "")
        let waiting = visit.flows.waiting(for: link)
        let view = try await exchange.run(ReadDeviceMail(link: link, cookie: waiting?.wait))
        // Who refuses takes something away, and needs no more than a click.
        if answer == "confirm" {
            // A link that opens nothing takes no room for a nonce.
            guard view != nil else { return try visit.deviceMail("mail.overTitle", "mail.over", status: 410) }
            guard try await visit.armed(link, visit.visitor).takes(form.fields, exchange) else {
                return try visit.reply(.unarmed)
            }
        }
        let isDone = try await exchange.run(
            AnswerDeviceMail(
                link: link, wish: answer == "confirm" ? .confirm : .refuse,
                cookie: waiting?.wait, app: try await exchange.pagesApp()))
        guard isDone else { return try visit.deviceMail("mail.overTitle", "mail.over", status: 410) }
        guard answer == "refuse" else { return waiting.map(visit.goOn) ?? .seeOther(AccountVisit.logInPath) }
        if view?.isFirst == true { return try visit.deviceMail("mail.refusedTitle", "mail.refusedFirst", status: 200) }
        return try visit.deviceMail("mail.refusedTitle", "mail.refused", status: 200, to: .showOwnCredentials)
    }
}

extension FlowCookies {
    /// The flow that waits for the decision that a link is about; `nil` if it does not wait in this browser.
    fileprivate func waiting(for link: DeviceMailLink) -> BrowserFlow? {
        all.first { $0.wait.map(link.isAwaited) ?? false }
    }
}

extension PageVisit {
    /// The link of the page's address.
    fileprivate func deviceMailLink(_ expires: String, _ key: String) -> DeviceMailLink {
        DeviceMailLink(
            tenant: exchange.captures["tenantId"], flow: exchange.captures["flowId"], expires: expires, key: key)
    }

    fileprivate func armed(_ link: DeviceMailLink, _ visitor: VisitorKey) -> ArmedForm {
        ArmedForm(
            holder: .visitor, cookie: visitor.value, path: Endpoint.answerDeviceMail.template.text,
            subject: [link.tenant, link.flow, link.expires, link.key].joined(separator: "\n"))
    }

    /// A page that says what became of a link.
    ///
    /// - Parameter page: The page on which the person changes what somebody else knows.
    fileprivate func deviceMail(
        _ title: PageWord, _ text: PageWord, status: Int, to page: Endpoint? = nil
    ) throws -> Reply {
        let language = language(), label = language.text("change.title")
        let content = NoticeContent(
            text: language.text(text), link: page.map { NoticeContent.Link(path: $0.template.text, label: label) })
        return try HostedPage(content, title, in: language, status: status).reply()
    }

    /// The page behind the link of a mail about a device.
    fileprivate func deviceMail(_ link: DeviceMailLink, _ view: DeviceMailView) throws -> Reply {
        let language = language(), visitor = visitor
        let armed = armed(link, visitor), time = exchange.call.time, isArmed = armed.mayShow(exchange)
        var form = form(sentTo: Endpoint.answerDeviceMail.template.path(exchange.captures.all), visitor)
        if view.isWaiting, isArmed { form.page = armed.page(at: time) }
        let query = [(name: "expires", value: link.expires), ("key", link.key), ("token", armed.link(at: time))]
        let goOnPath =
            Endpoint.showDeviceMail.template.path(exchange.captures.all) + "?"
            + String(decoding: FormEncoding.encode(query), as: UTF8.self)
        let content = DeviceMailContent(
            text: language.text(
                view.isWaiting ? "mail.here" : view.isFirst ? "mail.elsewhereFirst" : "mail.elsewhere"),
            company: view.companyName,
            device: view.device.isEmpty ? language.text("mail.unknown") : view.device,
            network: view.network.isEmpty ? language.text("mail.unknown") : view.network,
            time: view.presentedAt.forPeople, words: FingerprintWords(view.fingerprint).text,
            code: view.isWaiting ? nil : view.code, goOnPath: view.isWaiting && !isArmed ? goOnPath : nil,
            expires: link.expires, key: link.key, form: form)
        return try HostedPage(content, "mail.title", in: language).reply(visitor)
    }
}

/// The device that a mail is about.
struct DeviceMailContent: PageContent {
    static let template: PageTemplate = "deviceMail"
    let text: String
    let company: String
    let device: String
    let network: String
    let time: String
    let words: String
    /// The code for the other browser.
    let code: String?
    /// The link to the page with the button that confirms.
    let goOnPath: String?
    let expires: String
    let key: String
    /// The form of both buttons. It confirms only with the token of its page.
    let form: FormPart
}
