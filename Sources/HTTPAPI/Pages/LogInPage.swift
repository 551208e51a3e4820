import IdentityService
import TenureAPI

/// The form that begins a log-in. Without a stored request the log-in leads to the account.
struct LogInPage: BeginningForm {
    let visit: PageVisit
    let pending: AwaitedAuthorization?
    let language: PageLanguage

    init(_ visit: PageVisit) async throws {
        self.visit = visit
        pending = try await visit.pending()
        language = visit.language(pending?.locales ?? [])
    }

    let fields: [FieldProblem.Field] = [.company, .employee, .form]
    let sentTo = Endpoint.beginLogIn
    var required: [(field: FieldProblem.Field, word: PageWord)] {
        [(.company, "login.companyMissing"), (.employee, "login.employeeMissing")]
    }
    var instead: Reply? { visit.beyondLogIn(pending) }

    var known: Input {
        ["company": pending?.tenant ?? "", "employee": pending.flatMap { $0.hintIsAddress ? nil : $0.loginHint } ?? ""]
    }

    func page(_ input: Input, _ problems: FieldProblems?, _ form: FormPart, status: Int) async throws -> HostedPage {
        let flow = visit.flow
        var account: String?
        if let session = try await visit.session() {
            account = try await visit.account(session.browser, in: language)
        }
        let content = LogInContent(
            problems: problems, account: account, accountPath: Endpoint.showAccount.template.text,
            company: input["company"] ?? "", employee: input["employee"] ?? "", expected: pending?.tenant ?? "",
            addressPath: Endpoint.showLogInByAddress.path(in: flow),
            registerPath: Endpoint.showRegister.path(in: flow), recoverPath: Endpoint.showWayBack.path(in: flow),
            form: form)
        return HostedPage(logInTo: pending, content, in: language, status: status)
    }

    func begin(_ input: Input, _ key: [UInt8], once: String) async throws -> Reply {
        let names = LoginRequest(
            companyName: input["company"] ?? "", companyEmployeeId: input["employee"] ?? "", employeePublicKey: key)
        let start = StartLogin(.login, names, app: try await visit.exchange.pagesApp())
        return visit.start(try await visit.step(start, once: once), .login)
    }
}

/// The form that begins a log-in, with the accounts that this browser knows.
struct LogInContent: PageContent {
    static let template: PageTemplate = "login"
    let problems: FieldProblems?
    /// Who is logged in already.
    let account: String?
    let accountPath: String
    let company: String
    let employee: String
    /// The tenant that the client names.
    let expected: String
    let addressPath: String
    let registerPath: String
    let recoverPath: String
    let form: FormPart
}

extension HostedPage {
    /// A page for a log-in, which names the client.
    init(
        logInTo pending: AwaitedAuthorization?, _ content: some PageContent, in language: PageLanguage, status: Int
    ) {
        let title: PageWord = pending == nil ? "login.title" : "login.titleFor"
        self.init(content, title, pending?.clientName ?? "", in: language, status: status)
        client = pending?.clientName
        if client != nil { tab = language.text("login.title") }
    }
}
