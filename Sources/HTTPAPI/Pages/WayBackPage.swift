import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

/// The page on which somebody asks for a way back to an account.
struct WayBackPage: Sendable {
    /// A field of the form. The raw value is its name.
    enum Field: String, Sendable, CaseIterable {
        case company, employee, way
    }

    /// What is wrong with the form.
    struct Problem: Sendable, Equatable {
        /// The field that is at fault; `nil` for none of them.
        let field: Field?
        let word: PageWord
        var status = 400
    }

    let language: PageLanguage

    /// What was typed.
    static func input(_ fields: FormReader) -> [Field: String] {
        Field.allCases.reduce(into: [:]) { input, field in input[field] = try? fields.text(field.rawValue) }
    }

    /// The page with its form.
    func page(_ input: [Field: String], _ problems: [Problem], hidden: PageContent) -> HostedPage {
        let told = problems.map { PageProblem(field: $0.anchor, text: text($0.word)) }
        let content: PageContent = [
            "problems": PageProblem.summary(told, in: language), "company": .text(input[.company] ?? ""),
            "companyError": told.text(at: "company"), "employee": .text(input[.employee] ?? ""),
            "employeeError": told.text(at: "employee"), "wayError": told.text(at: Self.firstWay),
            "deviceModule": .text(PageAsset.device.path),
            "ways": .list(
                WayBack.allCases.map { way in
                    var choice: PageContent = [
                        "wayField": .text("way-" + way.rawValue), "way": .text(way.rawValue),
                        "wayLabel": .text(text(way.words.label)), "wayHint": .text(text(way.words.hint)),
                    ]
                    if input[.way] == way.rawValue { choice["chosen"] = "true" }
                    return choice
                }),
        ]
        return HostedPage(
            template: .wayBack, language: language, title: text("recover.title"),
            content: content.merging(words).merging(hidden), status: problems.first?.status ?? 200)
    }

    /// The id of the first choice, which the summary leads to.
    fileprivate static let firstWay = "way-" + WayBack.recovery.rawValue

    private var words: PageContent {
        let names: [(String, PageWord)] = [
            ("needsScript", "page.needsScript"), ("text", "recover.text"), ("companyLabel", "login.company"),
            ("companyHint", "login.companyHint"), ("employeeLabel", "login.employee"), ("waysLabel", "recover.ways"),
            ("noKey", "login.noKey"), ("continue", "page.continue"), ("toLogIn", "register.toLogIn"),
        ]
        return PageContent(names, in: language)
    }

    /// What is missing in an input, before the service is asked.
    func missing(in input: [Field: String]) -> [Problem] {
        var problems: [Problem] = []
        if input[.company]?.isBlank != false { problems.append(Problem(field: .company, word: "login.companyMissing")) }
        if input[.employee]?.isBlank != false {
            problems.append(Problem(field: .employee, word: "login.employeeMissing"))
        }
        if input[.way].flatMap(WayBack.init(rawValue:)) == nil {
            problems.append(Problem(field: .way, word: "recover.wayMissing"))
        }
        return problems
    }

    /// The page that says what happens after a request. It is the same whether or not there is such an account.
    ///
    /// - Parameters:
    ///   - fingerprint: The fingerprint of the device key, as hexadecimal digits.
    ///   - path: Where the person looks whether it is time.
    func waiting(_ way: WayBack, fingerprint: String, again path: String) -> HostedPage {
        let steps: [PageWord] =
            switch way {
            case .recovery: ["recover.stepTell", "recover.stepConfirm", "recover.stepAgain"]
            case .returning: ["return.stepMail", "return.stepWait", "return.stepAgain"]
            }
        var content: PageContent = [
            "text": .text(text(way == .recovery ? "recover.waitText" : "return.waitText")),
            "steps": .list(steps.map { ["step": .text(text($0))] }),
            "note": .text(text("recover.sameBrowser")), "again": .text(text("recover.again")),
            "againPath": .text(path),
        ]
        if let bytes = Hex.decode(fingerprint) {
            content["words"] = .text(FingerprintWords(bytes).text)
            content["wordsLabel"] = .text(text("recover.words"))
            content["fingerprint"] = .text(fingerprint)
            content["fingerprintLabel"] = .text(text("recover.fingerprint"))
        }
        return HostedPage(
            template: .wayBackWait, language: language,
            title: text(way == .recovery ? "recover.waitTitle" : "return.waitTitle"), content: content)
    }

    private func text(_ word: PageWord) -> String { word.text(in: language) }
}

extension WayBackPage.Problem {
    /// The id of the element that the summary leads to.
    fileprivate var anchor: String {
        switch field {
        case .way: WayBackPage.firstWay
        case let field?: field.rawValue
        case nil: "form"
        }
    }

    /// The problem of a refusal; `nil` for one that is not about the form.
    init?(_ error: ServiceError) {
        switch error.code {
        case .companyNameMissing: self.init(field: .company, word: "login.companyMissing")
        case .employeeIdMissing: self.init(field: .employee, word: "login.employeeMissing")
        case .employeeKeyInvalid: self.init(field: nil, word: "login.noKey")
        case .requestInvalid:
            let pointers = error.members.map(\.place)
            if pointers.contains(.pointer("/companyName")) {
                self.init(field: .company, word: "flow.inputInvalid")
            } else if pointers.contains(.pointer("/companyEmployeeId")) {
                self.init(field: .employee, word: "flow.inputInvalid")
            } else {
                return nil
            }
        default: return nil
        }
    }
}
