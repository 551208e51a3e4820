import IdentityService
import TenureAPI

/// The form that asks for a way back to an account.
struct WayBackPage: BeginningForm {
    let visit: PageVisit

    let fields: [FieldProblem.Field] = [.company, .employee, .way, .form]
    let sentTo = Endpoint.startWayBack
    var required: [(field: FieldProblem.Field, word: PageWord)] {
        [
            (.company, "login.companyMissing"), (.employee, "login.employeeMissing"), (.way, "recover.wayMissing"),
        ]
    }

    func isMissing(_ field: FieldProblem.Field, in input: Input) -> Bool {
        field == .way ? WayBack(rawValue: input["way"] ?? "") == nil : input[field.name]?.isBlank != false
    }

    func page(_ input: Input, _ problems: FieldProblems?, _ visitor: VisitorKey, status: Int) -> HostedPage {
        let ways = WayBack.allCases.map { way in
            WayBackContent.Choice(
                way: way.rawValue, label: language.text(way.words.label), hint: language.text(way.words.hint),
                isChosen: input["way"] == way.rawValue)
        }
        let content = WayBackContent(
            problems: problems, company: input["company"] ?? "", employee: input["employee"] ?? "", ways: ways,
            loginPath: Endpoint.showLogIn.path(in: visit.flow), form: visit.form(of: sentTo, visitor))
        return HostedPage(content, "recover.title", in: language, status: status)
    }

    func begin(_ input: Input, _ key: [UInt8], once: String) async throws -> Reply {
        let way = WayBack(rawValue: input["way"] ?? "") ?? .recovery
        let names = LoginRequest(
            companyName: input["company"] ?? "", companyEmployeeId: input["employee"] ?? "", employeePublicKey: key)
        let start = StartLogin(way.purpose, names, app: try await visit.exchange.pagesApp())
        return visit.start(try await visit.step(start, once: once), way.purpose)
    }
}

/// The form that asks for a way back to an account.
struct WayBackContent: PageContent {
    static let template: PageTemplate = "wayBack"

    struct Choice: PagePart {
        let way: String
        let label: String
        let hint: String
        let isChosen: Bool
    }

    let problems: FieldProblems?
    let company: String
    let employee: String
    let ways: [Choice]
    let loginPath: String
    let form: FormPart
}

/// What happens after a way back was asked for. It is the same whether or not there is such an account.
struct WayBackWaitContent: PageContent {
    static let template: PageTemplate = "wayBackWait"
    let text: String
    let steps: [String]
    /// The words of the device key.
    let words: String
    let fingerprint: String
    /// Where the person looks whether it is time.
    let againPath: String
}
