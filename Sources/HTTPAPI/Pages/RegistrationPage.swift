import ErrorCodes
import IdentityService
import TenureAPI

/// The page on which somebody registers: to found a tenant, to join one, or with the link of an invitation.
struct RegistrationPage: Sendable {
    /// What the person means to do. Each has a page and a request of its own.
    enum Way: Sendable, CaseIterable {
        case found
        case join
        case invited
    }

    /// A field of the form. The raw value is its name.
    enum Field: String, Sendable, CaseIterable {
        case company, employee, email, code
    }

    let way: Way
    let language: PageLanguage
    /// Whether the form asks for a code.
    let asksForCode: Bool
    /// Whether a founder is told that no mail will help.
    let warnsOfNoMail: Bool

    init(_ way: Way, _ terms: RegistrationTerms, in language: PageLanguage) {
        self.way = way
        self.language = language
        asksForCode = way != .found || terms.founding == .code
        warnsOfNoMail = way == .found && !terms.sendsMails
    }

    /// The page with its form.
    ///
    /// - Parameters:
    ///   - input: What was entered, or what a link says.
    ///   - hidden: The hidden fields of the form.
    func page(_ input: [Field: String], _ problems: [RegistrationProblem], hidden: PageContent) -> HostedPage {
        let told = problems.map { PageProblem(field: $0.field?.rawValue ?? "form", text: text($0.word)) }
        var content: PageContent = [
            "problems": PageProblem.summary(told, in: language),
            "deviceModule": .text(PageAsset.device.path), "prefillModule": .text(PageAsset.prefill.path),
        ]
        for field in Field.allCases where field != .code || asksForCode {
            content[field.rawValue] = .text(input[field] ?? "")
            content[field.rawValue + "Error"] = told.text(at: field.rawValue)
        }
        if asksForCode { content["codeLabel"] = .text(text(way.codeLabel)) }
        if warnsOfNoMail { content["warning"] = .text(text(.registerNoMail)) }
        return HostedPage(
            template: .register, language: language, title: text(way.title),
            content: content.merging(words).merging(hidden), status: problems.first?.status ?? 200)
    }

    private var words: PageContent {
        let names: [(String, PageWord)] = [
            ("needsScript", .pageNeedsScript), ("text", way.text), ("noKey", .loginNoKey), ("continue", .pageContinue),
            ("toLogIn", .registerToLogIn), ("companyLabel", .loginCompany), ("companyHint", way.companyHint),
            ("employeeLabel", .loginEmployee), ("employeeHint", way.employeeHint), ("emailLabel", .registerEmail),
            ("emailHint", .registerEmailHint),
        ]
        return PageContent(names, in: language)
    }

    /// The page where nobody may found a tenant. It has no form.
    static func closed(in language: PageLanguage) -> HostedPage {
        HostedPage(
            template: .notice, language: language, title: PageWord.registerToFound.text(in: language),
            content: [
                "text": .text(PageWord.registerFoundOff.text(in: language)),
                "next": .text(PageWord.registerFoundOffNext.text(in: language)),
            ])
    }

    /// What is missing in an input, before the service is asked.
    func missing(in input: [Field: String]) -> [RegistrationProblem] {
        var problems: [RegistrationProblem] = []
        let words: [(Field, PageWord)] = [
            (.company, .loginCompanyMissing), (.employee, .loginEmployeeMissing), (.email, .registerEmailMissing),
        ]
        for (field, word) in words where input[field]?.isBlank != false {
            problems.append(RegistrationProblem(field: field, word: word, status: 400))
        }
        if asksForCode, way != .join, input[.code]?.isBlank != false {
            problems.append(RegistrationProblem(field: .code, word: .registerCodeMissing, status: 400))
        }
        return problems
    }

    private func text(_ word: PageWord) -> String { word.text(in: language) }
}

extension RegistrationPage.Field {
    /// The field that a JSON pointer of the request is about.
    init?(pointer: String) {
        switch pointer {
        case "/companyName": self = .company
        case "/companyEmployeeId": self = .employee
        case "/email": self = .email
        case "/invitation": self = .code
        default: return nil
        }
    }
}

extension RegistrationPage.Way {
    /// What the request says that the person means.
    var intent: RegistrationRequest.Intent { self == .found ? .found : .join }

    /// The page with the form.
    var shownAt: Endpoint {
        switch self {
        case .found: .showFounding
        case .join: .showJoining
        case .invited: .showInvited
        }
    }

    /// Where the form is sent to.
    var sentTo: Endpoint {
        switch self {
        case .found: .startFounding
        case .join: .startJoining
        case .invited: .startInvited
        }
    }

    fileprivate var title: PageWord {
        switch self {
        case .found: .registerToFound
        case .join: .registerToJoin
        case .invited: .registerInvitedTitle
        }
    }

    fileprivate var text: PageWord {
        switch self {
        case .found: .registerFoundText
        case .join: .registerJoinText
        case .invited: .registerInvitedText
        }
    }

    fileprivate var companyHint: PageWord { self == .found ? .registerNameHint : .loginCompanyHint }
    fileprivate var employeeHint: PageWord { self == .found ? .registerOwnIdHint : .registerIdHint }

    fileprivate var codeLabel: PageWord {
        switch self {
        case .found: .registerFoundCode
        case .join: .registerCodeIfAny
        case .invited: .registerCode
        }
    }
}

/// What is wrong with a registration, for the person who filled in the form.
struct RegistrationProblem: Sendable, Equatable {
    /// The field that is at fault; `nil` for none of them.
    let field: RegistrationPage.Field?
    let word: PageWord
    let status: Int

    init(field: RegistrationPage.Field?, word: PageWord, status: Int) {
        self.field = field
        self.word = word
        self.status = status
    }

    /// The problem of a refusal; `nil` for one that is not about the form.
    init?(_ error: ServiceError) {
        status = error.code.status
        switch error.code {
        case .companyUnknown: (field, word) = (.company, .registerCompanyUnknown)
        case .companyNameMissing: (field, word) = (.company, .loginCompanyMissing)
        case .companyAlreadyFounded: (field, word) = (.company, .registerCompanyExists)
        case .appNotLinked: (field, word) = (.company, .registerNotLinked)
        case .employeeIdMissing: (field, word) = (.employee, .loginEmployeeMissing)
        case .emailMissing: (field, word) = (.email, .registerEmailMissing)
        case .emailInvalid: (field, word) = (.email, .registerEmailInvalid)
        case .invitationInvalid: (field, word) = (.code, .registerCodeWrong)
        case .registrationInvitationRequired: (field, word) = (.code, .registerCodeMissing)
        case .employeeKeyInvalid: (field, word) = (nil, .loginNoKey)
        case .requestInvalid:
            let named = error.members.lazy.compactMap { member -> RegistrationPage.Field? in
                guard case .pointer(let pointer) = member.place else { return nil }
                return RegistrationPage.Field(pointer: pointer)
            }.first
            guard let named else { return nil }
            (field, word) = (named, .flowInputInvalid)
        default: return nil
        }
    }
}
