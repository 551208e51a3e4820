import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    /// `GET /login`. Without a stored request the log-in leads to the account page.
    static let showLogIn = Route(page: .showLogIn) { exchange in
        let visit = PageVisit(exchange: exchange), request = visit.requestOfQuery ?? ""
        let pending = try await visit.pending(request)
        guard request.isEmpty || pending?.isAboutLogIn == true else { return exchange.goingOn(with: request) }
        return try await LogInPage(visit, request: request, pending).reply()
    }

    /// `POST /login`.
    static let beginLogIn = Route(page: .beginLogIn, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange)
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch { return try visit.reply(error.notice) }
        let request = form.subject, pending = try await visit.pending(request)
        guard request.isEmpty || pending?.isAboutLogIn == true else { return exchange.goingOn(with: request) }
        var page = LogInPage(visit, request: request, pending)
        page.company = form.text("company") ?? ""
        page.employee = form.text("employee") ?? ""
        if page.company.isBlank { page.add(.loginCompanyMissing, at: "company") }
        if page.employee.isBlank { page.add(.loginEmployeeMissing, at: "employee") }
        let key = form.text("key").flatMap { Base64URL.decode($0) }
        if key == nil { page.add(.loginNoKey, at: "form") }
        guard page.problems.isEmpty, let key else {
            page.status = 400
            return try await page.reply()
        }
        let names = LoginRequest(
            companyName: page.company, companyEmployeeId: page.employee, employeePublicKey: key)
        do {
            let app = try await exchange.pagesApp()
            let started = try await visit.step(StartLogin(.login, names, app: app), once: form.callKey)
            return visit.start(started, .login, request: request)
        } catch let error as ServiceError {
            try page.add(error)
            return try await page.reply()
        }
    }

    /// The routes of the log-in pages.
    static var ofLogIn: [Route] {
        [
            showLogIn, beginLogIn, showKey, proveBrowserKey, showAnswers, giveAnswers, showPassphrase, givePassphrase,
            showAccounts, chooseAccount,
        ]
    }
}

extension AwaitedAuthorization {
    /// Whether a log-in is what the request waits for, perhaps to another account.
    var isAboutLogIn: Bool { page == .logIn || page == .chooseAccount }
}

extension VisitorForm {
    /// The value of a field; `nil` if it is absent, empty or given twice.
    func text(_ name: String) -> String? { try? fields.text(name) }
}

extension String {
    /// Whether there is nothing but white space.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
