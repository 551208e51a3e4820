import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    /// `GET /login`, and for a flow. Without a stored request the log-in leads to the account page.
    static let showLogIn = beginning(.showLogIn) { visit in
        let pending = try await visit.pending()
        if let beyond = visit.beyondLogIn(pending) { return beyond }
        return try await LogInPage(visit, pending).reply()
    }

    /// `POST /login`, and for a flow.
    static let beginLogIn = beginning(.beginLogIn, body: .form) { visit in
        let pending = try await visit.pending()
        if let beyond = visit.beyondLogIn(pending) { return beyond }
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch {
            return try await visit.refused(error) { typed in
                var page = LogInPage(visit, pending, typed)
                page.add("form.again", at: "form")
                page.status = 403
                return try await page.reply()
            }
        }
        var page = LogInPage(visit, pending, form.fields)
        if page.company.isBlank { page.add("login.companyMissing", at: "company") }
        if page.employee.isBlank { page.add("login.employeeMissing", at: "employee") }
        let key = form.text("key").flatMap { Base64URL.decode($0) }
        if key == nil { page.add("login.noKey", at: "form") }
        guard page.problems.isEmpty, let key else {
            page.status = 400
            return try await page.reply()
        }
        let names = LoginRequest(
            companyName: page.company, companyEmployeeId: page.employee, employeePublicKey: key)
        do {
            let app = try await visit.exchange.pagesApp()
            return visit.start(try await visit.step(StartLogin(.login, names, app: app), once: form.callKey), .login)
        } catch let error as ServiceError {
            try page.add(error)
            return try await page.reply()
        }
    }

    /// The routes of the log-in pages.
    static var ofLogIn: [Route] {
        showLogIn + beginLogIn + [
            showKey, proveBrowserKey, showAnswers, giveAnswers, showPassphrase, givePassphrase, showAccounts,
            chooseAccount, goOn,
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
