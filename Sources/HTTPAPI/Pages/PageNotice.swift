import ErrorCodes
import IdentityService
import TenureAPI

/// A page that says what happened and what to do next.
enum PageNotice: Sendable, CaseIterable {
    /// The form was sent by a page of another site.
    case crossSite
    /// The form belongs to another session than that of the browser.
    case outdated
    /// The form is not of this browser, or the browser refuses cookies.
    case cookie
    /// The form was not sent by the button of its page, or too late.
    case unarmed
    /// The request cannot be read.
    case malformed
    /// There is no such client.
    case unknownClient
    /// The client named a redirect URI that is not registered.
    case unknownRedirect
    /// There is no such page, or not with this method.
    case unknown
    /// The operator has disabled the pages.
    case disabled
    /// The browser sends more cookies than the service reads.
    case cookies
    /// The network has sent too many requests.
    case tooMany
    /// The service cannot answer now.
    case unavailable
    case loggedOut
    /// The same, and the client wanted the browser back at an address that is not registered.
    case loggedOutUnregistered
    /// The same, and no ID token shows which client wants the browser back.
    case loggedOutWithoutHint

    /// The notice about a refusal.
    init(of code: ErrorCode) {
        self =
            switch code {
            case .requestRateLimited: .tooMany
            case .routeUnknown, .routeMethodNotAllowed: .unknown
            default: code.status >= 500 ? .unavailable : .malformed
            }
    }

    /// The notice about a fault of an authorization request; `nil` for one that is over.
    init?(_ fault: AuthorizationAnswer.Fault) {
        switch fault {
        case .unknownClient: self = .unknownClient
        case .unknownRedirect: self = .unknownRedirect
        case .tooLarge: self = .malformed
        case .expired: return nil
        }
    }

    /// The notice about a log-out, which says why the browser stays here.
    init(loggedOut fault: LogOutAnswer.ReturnFault?) {
        self =
            switch fault {
            case nil: .loggedOut
            case .unregistered: .loggedOutUnregistered
            case .withoutHint: .loggedOutWithoutHint
            }
    }

    var status: Int {
        switch self {
        case .crossSite, .outdated, .cookie, .unarmed: 403
        case .malformed, .unknownClient, .unknownRedirect: 400
        case .unknown, .disabled: 404
        case .tooMany: 429
        case .cookies: 431
        case .unavailable: 503
        case .loggedOut, .loggedOutUnregistered, .loggedOutWithoutHint: 200
        }
    }

    /// Notes why a form is refused.
    func note() { RequestNotes.note { $0.cause = "form_\(self)".lowercased() } }

    private var words: (title: PageWord, text: PageWord, next: PageWord?) {
        switch self {
        case .crossSite: ("notice.crossSiteTitle", "notice.crossSite", "notice.crossSiteNext")
        case .outdated: ("notice.outdatedTitle", "notice.outdated", "notice.outdatedNext")
        case .cookie: ("notice.cookieTitle", "notice.cookie", "notice.cookieNext")
        case .unarmed: ("notice.unarmedTitle", "notice.unarmed", "notice.unarmedNext")
        case .malformed: ("notice.malformedTitle", "notice.malformed", "notice.malformedNext")
        case .unknownClient: ("notice.unknownClientTitle", "notice.unknownClient", "notice.tellOperator")
        case .unknownRedirect: ("notice.unknownRedirectTitle", "notice.unknownRedirect", "notice.tellOperator")
        case .unknown: ("notice.unknownTitle", "notice.unknown", "notice.unknownNext")
        case .disabled: ("notice.disabledTitle", "notice.disabled", "notice.disabledNext")
        case .cookies: ("notice.cookiesTitle", "notice.cookies", "notice.cookiesNext")
        case .tooMany: ("notice.tooManyTitle", "notice.tooMany", "notice.tooManyNext")
        case .unavailable: ("notice.unavailableTitle", "notice.unavailable", "notice.unavailableNext")
        case .loggedOut: ("logout.doneTitle", "logout.done", nil)
        case .loggedOutUnregistered: ("logout.doneTitle", "logout.done", "logout.unregistered")
        case .loggedOutWithoutHint: ("logout.doneTitle", "logout.done", "logout.withoutHint")
        }
    }

    /// The page in a language. The page of an error shows the id of the request, for whoever helps.
    func page(in language: PageLanguage, requestId: String, sent: [SentParameter] = []) -> HostedPage {
        let next = words.next
        let content = NoticeContent(
            text: language.text(words.text), next: next.map { language.text($0) },
            link: self == .loggedOut
                ? .init(path: Endpoint.showLogIn.template.text, label: language.text("notice.logIn")) : nil,
            sent: sent, requestId: next == nil ? nil : requestId)
        var page = HostedPage(content, words.title, in: language, status: status)
        page.repeatsQuery = status < 400
        return page
    }
}

/// A text without a form.
struct NoticeContent: PageContent {
    static let template: PageTemplate = "notice"

    /// Where the person goes on.
    struct Link: PagePart {
        let path: String
        let label: String
    }

    let text: String
    var next: String?
    var link: Link?
    var sent: [SentParameter] = []
    /// The id of the request, for whoever helps.
    var requestId: String?
}

/// A parameter of a client's request, as a page shows it to the client's developer. It is a stranger's text.
struct SentParameter: PagePart {
    let name: String
    /// The value, cut off and without anything that could be read as a sentence; `nil` for none.
    let value: String?
    /// What is said instead of a value.
    let fault: String?

    /// The parameters that must be registered.
    static func all(_ form: FormReader, in language: PageLanguage) -> [SentParameter] {
        ["client_id", "redirect_uri"].map { name in
            do throws(FormError) {
                let value = try form.text(name).map { $0.visible(200) }
                let fault = value == nil ? language.text("notice.missing") : nil
                return SentParameter(name: name, value: value, fault: fault)
            } catch {
                return SentParameter(name: name, value: nil, fault: language.text("notice.twice"))
            }
        }
    }
}

extension String {
    /// The first bytes of the text, each that is no visible ASCII as a percent escape.
    fileprivate func visible(_ limit: Int) -> String {
        let bytes = utf8.prefix(limit).map { byte in
            (0x21...0x7E).contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return bytes.joined() + (utf8.count > limit ? "…" : "")
    }
}

extension Reply {
    /// Replies to a browser with the page of a refusal.
    init(noticeOf refusal: Refusal, requestId: String, languages: [String] = []) throws {
        let language = PageLanguage(accepted: languages)
        let notice = refusal.notice ?? PageNotice(of: refusal.code)
        self = try notice.page(in: language, requestId: requestId).reply()
        status = refusal.notice?.status ?? refusal.status ?? refusal.code.status
        code = refusal.code.rawValue
        headers[HeaderName.requestId] = requestId
        if let seconds = refusal.retryAfter { headers["Retry-After"] = String(seconds) }
        headers.merge(refusal.headers) { _, own in own }
    }
}
