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
        if warnsOfNoMail { content["warning"] = .text(text("register.noMail")) }
        return HostedPage(
            template: .register, language: language, title: text(way.title),
            content: content.merging(words).merging(hidden), status: problems.first?.status ?? 200)
    }

    private var words: PageContent {
        let names: [(String, PageWord)] = [
            ("needsScript", "page.needsScript"), ("text", way.text), ("noKey", "login.noKey"),
            ("continue", "page.continue"),
            ("toLogIn", "register.toLogIn"), ("companyLabel", "login.company"), ("companyHint", way.companyHint),
            ("employeeLabel", "login.employee"), ("employeeHint", way.employeeHint), ("emailLabel", "register.email"),
            ("emailHint", "register.emailHint"),
        ]
        return PageContent(names, in: language)
    }

    /// The page where nobody may found a tenant. It has no form.
    static func closed(in language: PageLanguage) -> HostedPage {
        HostedPage(
            template: .notice, language: language, title: PageWord("register.toFound").text(in: language),
            content: [
                "text": .text(PageWord("register.foundOff").text(in: language)),
                "next": .text(PageWord("register.foundOffNext").text(in: language)),
            ])
    }

    /// What is missing in an input, before the service is asked.
    func missing(in input: [Field: String]) -> [RegistrationProblem] {
        var problems: [RegistrationProblem] = []
        let words: [(Field, PageWord)] = [
            (.company, "login.companyMissing"), (.employee, "login.employeeMissing"), (.email, "register.emailMissing"),
        ]
        for (field, word) in words where input[field]?.isBlank != false {
            problems.append(RegistrationProblem(field: field, word: word, status: 400))
        }
        if asksForCode, way != .join, input[.code]?.isBlank != false {
            problems.append(RegistrationProblem(field: .code, word: "register.codeMissing", status: 400))
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
        case .found: "register.toFound"
        case .join: "register.toJoin"
        case .invited: "register.invitedTitle"
        }
    }

    fileprivate var text: PageWord {
        switch self {
        case .found: "register.foundText"
        case .join: "register.joinText"
        case .invited: "register.invitedText"
        }
    }

    fileprivate var companyHint: PageWord { self == .found ? "register.nameHint" : "login.companyHint" }
    fileprivate var employeeHint: PageWord { self == .found ? "register.ownIdHint" : "register.idHint" }

    fileprivate var codeLabel: PageWord {
        switch self {
        case .found: "register.foundCode"
        case .join: "register.codeIfAny"
        case .invited: "register.code"
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
        case .companyUnknown: (field, word) = (.company, "register.companyUnknown")
        case .companyNameMissing: (field, word) = (.company, "login.companyMissing")
        case .companyAlreadyFounded: (field, word) = (.company, "register.companyExists")
        case .appNotLinked: (field, word) = (.company, "register.notLinked")
        case .employeeIdMissing: (field, word) = (.employee, "login.employeeMissing")
        case .emailMissing: (field, word) = (.email, "register.emailMissing")
        case .emailInvalid: (field, word) = (.email, "register.emailInvalid")
        case .invitationInvalid: (field, word) = (.code, "register.codeWrong")
        case .registrationInvitationRequired: (field, word) = (.code, "register.codeMissing")
        case .employeeKeyInvalid: (field, word) = (nil, "login.noKey")
        case .requestInvalid:
            let named = error.members.lazy.compactMap { member -> RegistrationPage.Field? in
                guard case .pointer(let pointer) = member.place else { return nil }
                return RegistrationPage.Field(pointer: pointer)
            }.first
            guard let named else { return nil }
            (field, word) = (named, "flow.inputInvalid")
        default: return nil
        }
    }
}
