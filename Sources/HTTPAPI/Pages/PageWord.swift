/// A text of the pages. The raw value is its name in the files of each language.
enum PageWord: String, Sendable, CaseIterable {
    case account
    case accountNameless = "account.nameless"
    case consentAllow = "consent.allow"
    case consentDeny = "consent.deny"
    case consentQuestion = "consent.question"
    case consentTitle = "consent.title"
    case logoutConfirm = "logout.confirm"
    case logoutDone = "logout.done"
    case logoutDoneTitle = "logout.doneTitle"
    case logoutQuestion = "logout.question"
    case logoutStay = "logout.stay"
    case logoutTitle = "logout.title"
    case noticeCrossSite = "notice.crossSite"
    case noticeCrossSiteNext = "notice.crossSiteNext"
    case noticeCrossSiteTitle = "notice.crossSiteTitle"
    case noticeExpired = "notice.expired"
    case noticeExpiredNext = "notice.expiredNext"
    case noticeExpiredTitle = "notice.expiredTitle"
    case noticeMalformed = "notice.malformed"
    case noticeMalformedNext = "notice.malformedNext"
    case noticeMalformedTitle = "notice.malformedTitle"
    case noticeOutdated = "notice.outdated"
    case noticeOutdatedNext = "notice.outdatedNext"
    case noticeOutdatedTitle = "notice.outdatedTitle"
    case noticeRequest = "notice.request"
    case noticeTooMany = "notice.tooMany"
    case noticeTooManyNext = "notice.tooManyNext"
    case noticeTooManyTitle = "notice.tooManyTitle"
    case noticeUnavailable = "notice.unavailable"
    case noticeUnavailableNext = "notice.unavailableNext"
    case noticeUnavailableTitle = "notice.unavailableTitle"
    case noticeUnknown = "notice.unknown"
    case noticeUnknownNext = "notice.unknownNext"
    case noticeUnknownTitle = "notice.unknownTitle"
    case scopeEmail = "scope.email"
    case scopeGroups = "scope.groups"
    case scopeOfflineAccess = "scope.offline_access"
    case scopeOpenid = "scope.openid"
    case scopeProfile = "scope.profile"
}

extension PageWord {
    /// What a client learns by a scope; `nil` for a scope without a text.
    init?(scope: String) { self.init(rawValue: "scope." + scope) }

    /// The text in a language.
    ///
    /// - Parameter values: The values of `{1}`, `{2}` and so on. They are not escaped: the template does that.
    func text(in language: PageLanguage, _ values: String...) -> String {
        var text = "", rest = (PageWords.of(language)[rawValue] ?? rawValue)[...]
        while let opening = rest.firstIndex(of: "{"), let closing = rest[opening...].firstIndex(of: "}") {
            text += rest[..<opening]
            let number = Int(rest[rest.index(after: opening)..<closing]) ?? 0
            text += values.indices.contains(number - 1) ? values[number - 1] : ""
            rest = rest[rest.index(after: closing)...]
        }
        return text + rest
    }
}
