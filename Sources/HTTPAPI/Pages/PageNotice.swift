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
    /// The stored request is not known any more.
    case expired
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
    /// The person is logged out.
    case loggedOut

    /// The notice about a refusal.
    init(of code: ErrorCode) {
        self =
            switch code {
            case .requestRateLimited: .tooMany
            case .routeUnknown, .routeMethodNotAllowed: .unknown
            default: code.status >= 500 ? .unavailable : .malformed
            }
    }

    /// The notice about a fault of an authorization request.
    init(_ fault: AuthorizationAnswer.Fault) {
        self =
            switch fault {
            case .unknownClient: .unknownClient
            case .unknownRedirect: .unknownRedirect
            case .tooLarge: .malformed
            case .expired: .expired
            }
    }

    fileprivate var status: Int {
        switch self {
        case .crossSite, .outdated, .cookie, .unarmed: 403
        case .expired, .malformed, .unknownClient, .unknownRedirect: 400
        case .unknown, .disabled: 404
        case .tooMany: 429
        case .cookies: 431
        case .unavailable: 503
        case .loggedOut: 200
        }
    }

    private var words: (title: PageWord, text: PageWord, next: PageWord?) {
        switch self {
        case .crossSite: ("notice.crossSiteTitle", "notice.crossSite", "notice.crossSiteNext")
        case .outdated: ("notice.outdatedTitle", "notice.outdated", "notice.outdatedNext")
        case .cookie: ("notice.cookieTitle", "notice.cookie", "notice.cookieNext")
        case .unarmed: ("notice.unarmedTitle", "notice.unarmed", "notice.unarmedNext")
        case .expired: ("notice.expiredTitle", "notice.expired", "notice.expiredNext")
        case .malformed: ("notice.malformedTitle", "notice.malformed", "notice.malformedNext")
        case .unknownClient: ("notice.unknownClientTitle", "notice.unknownClient", "notice.tellOperator")
        case .unknownRedirect: ("notice.unknownRedirectTitle", "notice.unknownRedirect", "notice.tellOperator")
        case .unknown: ("notice.unknownTitle", "notice.unknown", "notice.unknownNext")
        case .disabled: ("notice.disabledTitle", "notice.disabled", "notice.disabledNext")
        case .cookies: ("notice.cookiesTitle", "notice.cookies", "notice.cookiesNext")
        case .tooMany: ("notice.tooManyTitle", "notice.tooMany", "notice.tooManyNext")
        case .unavailable: ("notice.unavailableTitle", "notice.unavailable", "notice.unavailableNext")
        case .loggedOut: ("logout.doneTitle", "logout.done", nil)
        }
    }

    /// The page in a language. The page of an error shows the id of the request, for whoever helps.
    func page(in language: PageLanguage, requestId: String) -> HostedPage {
        let next = words.next
        let content = NoticeContent(
            text: language.text(words.text), next: next.map { language.text($0) },
            requestId: next == nil ? nil : requestId)
        return HostedPage(content, words.title, in: language, status: status)
    }
}

/// A text without a form.
struct NoticeContent: PageContent {
    static let template: PageTemplate = "notice"
    let text: String
    var next: String?
    /// The id of the request, for whoever helps.
    var requestId: String?
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
