import IdentityService
import TenureAPI

/// The form that begins a log-in by an address.
struct LogInByAddressPage: BeginningForm {
    let visit: PageVisit
    let pending: AwaitedAuthorization?
    let language: PageLanguage

    init(_ visit: PageVisit) async throws {
        self.visit = visit
        pending = try await visit.pending()
        language = visit.language(pending?.locales ?? [])
    }

    let fields: [FieldProblem.Field] = [.email, .form]
    let sentTo = Endpoint.beginLogInByAddress
    var required: [(field: FieldProblem.Field, word: PageWord)] { [(.email, "login.addressMissing")] }
    var instead: Reply? { visit.beyondLogIn(pending) }
    var known: Input { ["email": pending.flatMap { $0.hintIsAddress ? $0.loginHint : nil } ?? ""] }

    func page(_ input: Input, _ problems: FieldProblems?, _ form: FormPart, status: Int) -> HostedPage {
        let content = LogInByAddressContent(
            problems: problems, email: input["email"] ?? "", loginPath: Endpoint.showLogIn.path(in: visit.flow),
            form: form)
        return HostedPage(logInTo: pending, content, in: language, status: status)
    }

    func begin(_ input: Input, _ key: [UInt8], once: String) async throws -> Reply {
        let start = StartAddressLogin(
            address: input["email"] ?? "", employeePublicKey: key, client: pending?.client,
            app: try await visit.exchange.pagesApp())
        return visit.start(try await visit.step(start, once: once), .address)
    }
}

/// The form that begins a log-in by an address.
struct LogInByAddressContent: PageContent {
    static let template: PageTemplate = "loginAddress"
    let problems: FieldProblems?
    let email: String
    let loginPath: String
    let form: FormPart
}
