import IdentityService
import TenureAPI

/// The page on which somebody registers: to found a tenant, to join one, or with the link of an invitation.
struct RegistrationPage: BeginningForm {
    /// What the person means to do. Each has a page and a request of its own.
    enum Way: Sendable, CaseIterable {
        case found
        case join
        case invited
    }

    let way: Way
    let visit: PageVisit
    private let terms: RegistrationTerms

    init(_ way: Way, _ visit: PageVisit) async throws {
        self.way = way
        self.visit = visit
        terms = try await visit.exchange.run(ReadRegistrationTerms())
    }

    private var asksForCode: Bool { way != .found || terms.founding == .code }

    var fields: [FieldProblem.Field] { [.company, .employee, .email] + (asksForCode ? [.code] : []) + [.form] }
    var sentTo: Endpoint { way.sentTo }
    var required: [(field: FieldProblem.Field, word: PageWord)] {
        [
            (.company, "login.companyMissing"), (.employee, "login.employeeMissing"), (.email, "login.addressMissing"),
        ] + (asksForCode && way != .join ? [(.code, "register.codeMissing")] : [])
    }

    /// What a link says about the registration. Links of ours say it behind the `#`, where only the browser reads it; a
    /// link that somebody writes may say it in the query.
    var known: Input {
        guard let query = try? FormReader(visit.exchange.rawQuery.utf8) else { return [:] }
        let names = [("company", "company"), ("employee", "id"), ("email", "email"), ("code", "invitation")]
        return names.reduce(into: [:]) { found, pair in found[pair.0] = try? query.text(pair.1) }
    }

    /// The page where nobody may found a tenant. It has no form.
    var instead: Reply? {
        get throws {
            guard way == .found, terms.founding == .off else { return nil }
            let content = NoticeContent(
                text: language.text("register.foundOff"), next: language.text("register.foundOffNext"))
            return try HostedPage(content, "register.toFound", in: language).reply()
        }
    }

    func page(_ input: Input, _ problems: FieldProblems?, _ visitor: VisitorKey, status: Int) -> HostedPage {
        let content = RegistrationContent(
            problems: problems, invites: way == .invited ? language.text("register.invites", "{1}", "{2}") : nil,
            text: language.text(way.text), warnsOfNoMail: way == .found && !terms.sendsMails,
            company: input["company"] ?? "", companyHint: language.text(way.companyHint),
            employee: input["employee"] ?? "", employeeHint: language.text(way.employeeHint),
            email: input["email"] ?? "", code: input["code"] ?? "",
            codeLabel: asksForCode ? language.text(way.codeLabel) : nil,
            loginPath: Endpoint.showLogIn.path(in: visit.flow), form: visit.form(of: sentTo, visitor))
        return HostedPage(content, way.title, in: language, status: status)
    }

    func begin(_ input: Input, _ key: [UInt8], once: String) async throws -> Reply {
        let request = RegistrationRequest(
            companyName: input["company"] ?? "", companyEmployeeId: input["employee"] ?? "",
            email: input["email"] ?? "", employeePublicKey: key, invitation: input["code"],
            intent: way == .found ? .found : .join)
        let start = StartRegistration(request, app: try await visit.exchange.pagesApp())
        return visit.start(try await visit.step(start, once: once), .registration)
    }
}

/// The form that begins a registration.
struct RegistrationContent: PageContent {
    static let template: PageTemplate = "register"
    let problems: FieldProblems?
    /// What the module says of the company `{1}` and the user name `{2}` of a whole invitation; `nil` elsewhere.
    let invites: String?
    let text: String
    /// Whether a founder is told that no mail will help.
    let warnsOfNoMail: Bool
    let company: String
    let companyHint: String
    let employee: String
    let employeeHint: String
    let email: String
    let code: String
    /// The label of the code's field; `nil` for a form without one.
    let codeLabel: String?
    let loginPath: String
    let form: FormPart
}

extension RegistrationPage.Way {
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
