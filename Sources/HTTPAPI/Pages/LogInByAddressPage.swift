import ErrorCodes
import IdentityService
import TenureAPI

/// The page with the form that begins a log-in by an address.
struct LogInByAddressPage: Sendable {
    let visit: PageVisit
    let pending: AwaitedAuthorization?
    let language: PageLanguage
    /// What stands in the field.
    var email: String
    var problems: [PageProblem] = []
    var status = 200

    /// The page with what was typed, or with what the client knows about the person.
    init(_ visit: PageVisit, _ pending: AwaitedAuthorization?, _ typed: FormReader? = nil) {
        self.visit = visit
        self.pending = pending
        language = visit.language(pending?.locales ?? [])
        let hint = pending.flatMap { $0.hintIsAddress ? $0.loginHint : nil }
        email = typed.map { (try? $0.text("email")) ?? "" } ?? hint ?? ""
    }

    /// Adds a problem with a field.
    mutating func add(_ word: PageWord, at field: String) {
        problems.append(PageProblem(field: field, text: word.text(in: language)))
    }

    /// Adds what is wrong with the address or the key.
    ///
    /// - Throws: The error, if it is not about them.
    mutating func add(_ error: ServiceError) throws {
        switch error.code {
        case .emailMissing: add("login.addressMissing", at: "email")
        case .emailInvalid, .requestInvalid: add("login.addressInvalid", at: "email")
        case .employeeKeyInvalid: add("login.noKey", at: "form")
        default: throw error
        }
        status = error.code.status
    }

    /// The page as a reply.
    func reply() throws -> Reply {
        let visitor = visit.visitor
        let content: PageContent = [
            "problems": PageProblem.summary(problems, in: language),
            "email": .text(email), "emailError": problems.text(at: "email"),
            "loginPath": .text(Endpoint.showLogIn.path(in: visit.flow)),
            "module": .text(PageAsset.device.path),
        ]
        let words = PageContent(
            [
                ("needsScript", "page.needsScript"), ("emailLabel", "login.address"), ("noKey", "login.noKey"),
                ("continue", "page.continue"), ("byCompany", "login.byCompany"),
            ], in: language)
        let title = pending.map { PageWord("login.titleFor").text(in: language, $0.clientName) }
        return try HostedPage(
            template: .loginAddress, language: language, title: title ?? PageWord("login.title").text(in: language),
            content: content.merging(words).merging(visit.form(of: .beginLogInByAddress, visitor)), status: status
        ).reply(visitor)
    }
}
