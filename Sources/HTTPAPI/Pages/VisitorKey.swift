import Canonical
import Crypto
import IdentityService
import TenureAPI

/// The secret of a browser that forms are bound to before anybody is logged in.
///
/// It is a cookie of random bytes that no script can read and no other site can learn, so no other site can send a form
/// of the log-in. It says nothing about who is there, and it stays when somebody logs in or out.
struct VisitorKey: Sendable {
    private static let byteCount = 32

    let value: String
    /// The field that sets the cookie; `nil` if the browser has it.
    let setting: String?

    /// The key of a browser, or a new one.
    init(publicURL: String, _ headers: RequestHeaders) {
        let cookie = BrowserCookieField("-form", publicURL: publicURL)
        if let sent = cookie.value(in: headers), Base64URL.decode(sent)?.count == Self.byteCount {
            value = sent
            setting = nil
        } else {
            value = Base64URL.encode(randomBytes(Self.byteCount))
            setting = cookie.setting(value)
        }
    }

    /// The token of a form.
    ///
    /// - Parameters:
    ///   - path: The path that the form is sent to.
    ///   - subject: What the form is about besides; empty for nothing.
    func token(path: String, subject: String = "") -> FormToken {
        FormToken(cookie: value, path: path, request: subject)
    }
}

/// The answer of a form on a page that needs no session, checked to come from a page that this browser got.
///
/// Its path names the flow that it belongs to. So two tabs with two applications do not disturb each other.
struct VisitorForm: Sendable {
    let fields: FormReader
    /// The `Idempotency-Key` of what the form causes: a form that is sent twice has one effect. A form with another
    /// input has another key.
    let callKey: String

    /// Reads and checks the form.
    ///
    /// - Throws: The notice to show: another site sent the form, it cannot be read, or it is not of this browser.
    init(_ visit: PageVisit) throws(PageFormRefusal) {
        let exchange = visit.exchange, (fields, token) = try visit.sentForm()
        let path = exchange.endpoint.template.path(exchange.captures.all)
        guard visit.visitor.setting == nil, visit.visitor.token(path: path).matches(token) else {
            throw PageFormRefusal(notice: .cookie, typed: fields)
        }
        self.fields = fields
        var hash = SHA256()
        hash.update(data: Array("tenure/v1/form-call\n\(visit.visitor.value)\n\(path)\n".utf8))
        hash.update(data: exchange.body)
        callKey = Base64URL.encode(Array(hash.finalize()))
    }
}

extension PageVisit {
    /// The secret of the browser. A page with such a form sets its cookie.
    ///
    /// Each use of a browser without the cookie makes another secret, so a handler reads it once.
    var visitor: VisitorKey { VisitorKey(publicURL: exchange.publicURL, exchange.headers) }

    /// A form that this browser may send to a path.
    func form(sentTo path: String, _ visitor: VisitorKey) -> FormPart {
        FormPart(action: path, token: visitor.token(path: path).text, once: Base64URL.encode(randomBytes(16)))
    }

    /// A form of the path's flow.
    func form(of endpoint: Endpoint, _ visitor: VisitorKey) -> FormPart {
        form(sentTo: endpoint.path(in: flow), visitor)
    }

    /// The reply to a form that is refused: the page with the form again, if nothing but its token was wrong, such as in
    /// the first of two pages that a browser without cookies opened at once.
    ///
    /// - Parameter again: Makes the page, with what was typed.
    func refused(_ refusal: PageFormRefusal, _ again: (FormReader) async throws -> Reply) async throws -> Reply {
        refusal.notice.note()
        guard let typed = refusal.typed else { return try reply(refusal.notice) }
        return try await again(typed)
    }
}

extension HostedPage {
    /// The page as a reply that sets the cookie that its form is bound to.
    func reply(_ visitor: VisitorKey) throws -> Reply {
        var reply = try reply()
        if let setting = visitor.setting { reply.cookies.append(setting) }
        return reply
    }
}
