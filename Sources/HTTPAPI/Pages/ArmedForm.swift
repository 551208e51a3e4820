import Canonical
import IdentityService
import TenureAPI

/// A form that signs, consents or ends something. It is taken only from a page that somebody reached from a page of this
/// service and looked at.
///
/// The link to the page carries a token, without which the page leads to its list. The page carries a token of its time.
/// Its module, `arm.js`, fetches a nonce for it when the person acts, and the form is taken with both, once.
/// `docs/decisions/0047` has the reasons.
struct ArmedForm: Sendable {
    /// The cookie that the form is bound to.
    enum Holder: String, Sendable {
        /// That of the session.
        case session = "s"
        /// That of a browser in which nobody needs to be logged in.
        case visitor = "v"
    }
    /// The time for which a link leads to the page.
    static let linkLifetime: Duration = .seconds(600)
    /// The time for which the page gets a nonce. People read before they answer.
    static let pageLifetime: Duration = .seconds(1_800)
    /// How old a page is at least when somebody acts on it.
    static let quiet: Duration = .seconds(1)
    /// The time for which a nonce is taken.
    static let nonceLifetime: Duration = .seconds(60)

    let holder: Holder
    let cookie: String
    /// The path that the form is sent to.
    let path: String
    /// What the form is about: all that the person agrees to.
    let subject: String

    func link(at time: Timestamp) -> String { token("link").text(at: time) }

    func page(at time: Timestamp) -> String { "\(holder.rawValue)\(token("page").text(at: time))" }

    /// Whether a page may be shown with its button: a page of this service led here, not long ago, and not in advance.
    func mayShow(_ exchange: RoutedRequest) -> Bool {
        let sent = (try? FormReader(exchange.rawQuery.utf8).text("token")) ?? nil
        guard exchange.mayBeFromHere, let age = token("link").age(of: sent, at: exchange.call.time) else {
            return false
        }
        return age <= Self.linkLifetime
    }

    /// Page token and nonce for a form that the module sends next, after an answer on this page was taken.
    func granted(at time: Timestamp) -> (page: String, nonce: String) {
        let page = page(at: time)
        return (page, Self.nonce(page, cookie: cookie).text(at: time))
    }

    /// Whether a form carries a nonce of its page that was not used before.
    func takes(_ fields: FormReader, _ exchange: RoutedRequest) async throws -> Bool {
        guard let page = try? fields.text("page"), let nonce = try? fields.text("nonce"),
            page.hasPrefix(holder.rawValue),
            let shown = token("page").age(of: String(page.dropFirst()), at: exchange.call.time),
            let fetched = Self.nonce(page, cookie: cookie).age(of: nonce, at: exchange.call.time),
            shown <= Self.pageLifetime + Self.nonceLifetime, fetched <= Self.nonceLifetime
        else { return false }
        // Whoever makes up a cookie makes up its tokens too, and must not fill a table.
        if holder == .session, try await exchange.run(FindBrowserSession(cookie: cookie)) == nil { return false }
        return try await exchange.run(SpendNonce(nonce))
    }

    /// The form of the page, with the token that arms its button.
    func part(sentTo action: String, request: String? = nil, at time: Timestamp) -> FormPart {
        FormPart(
            action: action, token: FormToken(cookie: cookie, path: path, request: request ?? "").text,
            request: request, page: page(at: time))
    }

    private func token(_ purpose: String) -> TimedToken {
        TimedToken(purpose: purpose, cookie: cookie, path: path, subject: subject)
    }

    static func nonce(_ page: String, cookie: String) -> TimedToken {
        TimedToken(purpose: "nonce", cookie: cookie, path: "", subject: page)
    }
}

extension Route {
    /// `POST /arm`: gives the page that somebody acts on its nonce. It is worth nothing for a page token that is none,
    /// which the form is held against.
    static let armPage = Route(page: .armPage, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange), time = exchange.call.time
        guard exchange.isFromOwnPage else { return try visit.reply(.crossSite) }
        guard let page = try? FormReader(exchange.body).text("page"),
            let holder = page.first.flatMap({ ArmedForm.Holder(rawValue: String($0)) }),
            let shown = TimedToken.time(of: String(page.dropFirst())),
            let cookie = holder == .session ? visit.cookie : visit.visitor.value,
            case let age = Duration.microseconds(time.microseconds - shown),
            age >= ArmedForm.quiet, age <= ArmedForm.pageLifetime
        else { return try visit.reply(.unarmed) }
        return .text(ArmedForm.nonce(page, cookie: cookie).text(at: time), "text/plain; charset=utf-8")
    }
}

extension Endpoint {
    static let armPage = Endpoint(page: "POST", "/arm", "Give a page that somebody acts on its nonce")
}

extension RoutedRequest {
    /// Whether a page of this service may have led the browser here, and somebody is there to see it. Firefox says `none`
    /// after a form, and no other site can cause that.
    fileprivate var mayBeFromHere: Bool {
        headers.all("Sec-Fetch-Site").allSatisfy { $0 == "same-origin" || $0 == "none" }
            && headers.all("Sec-Purpose").isEmpty && headers.all("Purpose").isEmpty
    }

    /// Whether the browser says that a page of this service led here.
    var isSaidFromHere: Bool { mayBeFromHere && headers.all("Sec-Fetch-Site") == ["same-origin"] }
}

extension PageVisit {
    /// The form of a page that a session's cookie binds.
    func armed(_ endpoint: Endpoint, _ subject: String, _ cookie: String) -> ArmedForm {
        ArmedForm(holder: .session, cookie: cookie, path: endpoint.template.text, subject: subject)
    }
}
