import Canonical
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
        return try DeviceMailPage(visit: visit, link: link, view: view).reply()
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
        // Who refuses takes something away, and needs no more than a click.
        if answer == "confirm" {
            // A link that opens nothing takes no room for a nonce.
            guard try await exchange.run(ReadDeviceMail(link: link, cookie: waiting?.wait)) != nil else {
                return try visit.deviceMail("mail.overTitle", "mail.over", status: 410)
            }
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
        return try visit.deviceMail("mail.refusedTitle", "mail.refused", status: 200)
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

    /// The form that confirms the device of a link.
    fileprivate func armed(_ link: DeviceMailLink, _ visitor: VisitorKey) -> ArmedForm {
        ArmedForm(
            holder: .visitor, cookie: visitor.value, path: Endpoint.answerDeviceMail.template.text,
            subject: [link.tenant, link.flow, link.expires, link.key].joined(separator: "\n"))
    }

    /// A page that says what became of a link.
    fileprivate func deviceMail(_ title: PageWord, _ text: PageWord, status: Int) throws -> Reply {
        let language = language()
        return try HostedPage(
            template: .notice, language: language, title: title.text(in: language),
            content: ["text": .text(text.text(in: language))], status: status
        ).reply()
    }
}

/// The page behind the link of a mail about a device.
struct DeviceMailPage: Sendable {
    let visit: PageVisit
    let link: DeviceMailLink
    let view: DeviceMailView

    func reply() throws -> Reply {
        let language = visit.language(), visitor = visit.visitor
        func text(_ word: PageWord, _ values: String...) -> PageContent.Value {
            .text(word.text(in: language, values))
        }
        let device = view.device.isEmpty ? PageWord("mail.unknown").text(in: language) : view.device
        let network = view.network.isEmpty ? PageWord("mail.unknown").text(in: language) : view.network
        let facts: [(PageWord, String)] = [
            ("mail.company", view.companyName), ("mail.device", device), ("mail.network", network),
            ("mail.time", view.presentedAt.forPeople), ("wait.words", FingerprintWords(view.fingerprint).text),
        ]
        var content: PageContent = [
            "text": text(view.isWaiting ? "mail.here" : "mail.elsewhere"),
            "facts": .list(facts.map { ["fact": text($0.0), "value": .text($0.1)] }),
            "expires": .text(link.expires), "key": .text(link.key), "refuse": text("mail.refuse"),
            "refuseText": text("mail.refuseText"),
        ]
        let armed = visit.armed(link, visitor), time = visit.exchange.call.time
        if view.isWaiting, armed.mayShow(visit.exchange) {
            content["confirm"] = .list([
                armed.content("mail.confirm", in: language, at: time).merging([
                    "sentence": text("mail.confirmText"), "module": .text(PageAsset.arm.path),
                ])
            ])
        } else if view.isWaiting {
            let query = [(name: "expires", value: link.expires), ("key", link.key), ("token", armed.link(at: time))]
            content["goOn"] = text("mail.goOn")
            content["goOnPath"] = .text(
                "/waiting/mail/\(link.tenant)/\(link.flow)?"
                    + String(decoding: FormEncoding.encode(query), as: UTF8.self))
        } else {
            content["code"] = .list([
                ["codeLabel": text("mail.code"), "code": .text(view.code), "codeText": text("mail.codeText")]
            ])
        }
        return try HostedPage(
            template: .deviceMail, language: language, title: PageWord("mail.title").text(in: language),
            content: content.merging(
                visit.form(sentTo: Endpoint.answerDeviceMail.template.path(visit.exchange.captures.all), visitor))
        ).reply(visitor)
    }
}
