import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

/// The page with the form that begins a log-in.
struct LogInPage: Sendable {
    let visit: PageVisit
    let pending: AwaitedAuthorization?
    let language: PageLanguage
    /// What stands in the fields.
    var company: String
    var employee: String
    var problems: [PageProblem] = []
    var status = 200

    /// The page with what was typed, or with what the client knows about the person.
    init(_ visit: PageVisit, _ pending: AwaitedAuthorization?, _ typed: FormReader? = nil) {
        self.visit = visit
        self.pending = pending
        language = visit.language(pending?.locales ?? [])
        let hint = pending.flatMap { $0.hintIsAddress ? nil : $0.loginHint }
        company = typed.map { (try? $0.text("company")) ?? "" } ?? pending?.tenant ?? ""
        employee = typed.map { (try? $0.text("employee")) ?? "" } ?? hint ?? ""
    }

    /// Adds a problem with a field.
    mutating func add(_ word: PageWord, at field: String) {
        problems.append(PageProblem(field: field, text: word.text(in: language)))
    }

    /// Adds what is wrong with the names or the key.
    ///
    /// - Throws: The error, if it is not about them.
    mutating func add(_ error: ServiceError) throws {
        switch error.code {
        case .companyNameMissing: add("login.companyMissing", at: "company")
        case .employeeIdMissing: add("login.employeeMissing", at: "employee")
        case .employeeKeyInvalid: add("login.noKey", at: "form")
        case .requestInvalid:
            let isAboutId = error.members.contains { $0.place == .pointer("/companyEmployeeId") }
            add("flow.inputInvalid", at: isAboutId ? "employee" : "company")
        default: throw error
        }
        status = error.code.status
    }

    /// The page as a reply.
    func reply() async throws -> Reply {
        let visitor = visit.visitor
        var content: PageContent = [
            "problems": PageProblem.summary(problems, in: language),
            "company": .text(company), "companyError": problems.text(at: "company"),
            "employee": .text(employee), "employeeError": problems.text(at: "employee"),
            "expected": .text(pending?.tenant ?? ""),
            "addressPath": .text(Endpoint.showLogInByAddress.path(in: visit.flow)),
            "registerPath": .text(Endpoint.showRegister.path(in: visit.flow)),
            "recoverPath": .text(Endpoint.showWayBack.path(in: visit.flow)),
            "deviceModule": .text(PageAsset.device.path), "accountsModule": .text(PageAsset.accounts.path),
        ]
        if let session = try await visit.session() {
            content["session"] = .list([
                [
                    "account": .text(try await visit.account(session.browser, in: language)),
                    "toAccount": .text(PageWord("login.toAccount").text(in: language)),
                ]
            ])
        }
        content = content.merging(words).merging(visit.form(of: .beginLogIn, visitor))
        let title = pending.map { PageWord("login.titleFor").text(in: language, $0.clientName) }
        return try HostedPage(
            template: .login, language: language, title: title ?? PageWord("login.title").text(in: language),
            content: content, status: status
        ).reply(visitor)
    }

    private var words: PageContent {
        let names: [(String, PageWord)] = [
            ("needsScript", "page.needsScript"), ("accountsTitle", "remembered.title"), ("other", "remembered.other"),
            ("lastUsed", "remembered.last"), ("forget", "remembered.forget"), ("forgetText", "remembered.forgetText"),
            ("forgetConfirm", "remembered.forgetConfirm"), ("companyLabel", "login.company"),
            ("companyHint", "login.companyHint"), ("employeeLabel", "login.employee"), ("noKey", "login.noKey"),
            ("byAddress", "login.byAddress"), ("continue", "page.continue"), ("register", "login.register"),
            ("recover", "login.recover"),
        ]
        return PageContent(names, in: language)
    }
}

extension PageContent {
    /// Texts in a language by the names of a template.
    init(_ names: [(String, PageWord)], in language: PageLanguage) {
        self = [:]
        for (name, word) in names { self[name] = .text(word.text(in: language)) }
    }
}
