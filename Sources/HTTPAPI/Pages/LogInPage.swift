import IdentityService
import TenureAPI

/// The page that begins a log-in: with the e-mail address, or below with company and user name.
///
/// Without a stored request the log-in leads to the account.
struct LogInPage: BeginningForm {
    /// What the person enters. Each has a form of its own on the same page.
    enum Way: Sendable, CaseIterable {
        case address
        case account

        fileprivate var shownAt: Endpoint { self == .address ? .showLogInByAddress : .showLogIn }
        fileprivate var sentTo: Endpoint { self == .address ? .beginLogInByAddress : .beginLogIn }
    }

    let way: Way
    let visit: PageVisit
    let pending: AwaitedAuthorization?
    let language: PageLanguage
    /// The passkey that proved itself and whose end the log holds, in base64url; `nil` for any other.
    var ended: String?

    init(_ way: Way, _ visit: PageVisit) async throws {
        self.way = way
        self.visit = visit
        pending = try await visit.pending()
        language = visit.language(pending?.locales ?? [])
    }

    var fields: [FieldProblem.Field] { way == .address ? [.email, .form] : [.company, .employee, .form] }
    var sentTo: Endpoint { way.sentTo }
    var required: [(field: FieldProblem.Field, word: PageWord)] {
        way == .address
            ? [(.email, "login.addressMissing")]
            : [(.company, "login.companyMissing"), (.employee, "login.employeeMissing")]
    }
    var instead: Reply? { visit.beyondLogIn(pending) }

    var known: Input {
        guard let hint = pending?.loginHint else { return [:] }
        return [pending?.hintIsAddress == true ? "email" : "employee": hint]
    }

    func page(
        _ input: Input, _ problems: FieldProblems?, _ visitor: VisitorKey, status: Int
    ) async throws -> HostedPage {
        let flow = visit.flow
        var account: String?
        if let session = try await visit.session() {
            account = try await visit.account(session.browser, in: language)
        }
        let passkey = try await visit.exchange.run(ReadPasskeySite()).map { site in
            LogInContent.Passkey(
                rp: site, challengePath: Endpoint.issuePasskeyChallenge.template.text,
                form: visit.form(of: .logInByPasskey, visitor), ended: ended, script: PageAsset.bypasskey.path)
        }
        let mayFound = try await visit.exchange.run(ReadRegistrationTerms()).founding != .off
        let content = LogInContent(
            problems: problems, account: account, accountPath: Endpoint.showAccount.template.text,
            expected: pending?.onlyTenant ?? pending?.tenant ?? "", passkey: passkey,
            completion: passkey == nil ? "username" : "username webauthn",
            byAddress: .init(
                email: input["email"] ?? "", form: visit.form(of: .beginLogInByAddress, visitor)),
            byAccount: .init(
                company: input["company"] ?? pending?.tenant ?? "", only: pending?.onlyTenant,
                employee: input["employee"] ?? "",
                isOpen: way == .account && problems != nil || input["employee"]?.isEmpty == false,
                form: visit.form(of: .beginLogIn, visitor)),
            joinPath: Endpoint.showJoining.path(in: flow),
            foundPath: mayFound ? Endpoint.showFounding.path(in: flow) : nil,
            recoverPath: Endpoint.showWayBack.path(in: flow))
        return HostedPage(logInTo: pending, content, in: language, status: status)
    }

    func begin(_ input: Input, _ key: [UInt8], once: String) async throws -> Reply {
        let app = try await visit.exchange.pagesApp()
        switch way {
        case .address:
            let start = StartAddressLogin(
                address: input["email"] ?? "", employeePublicKey: key, client: pending?.client, app: app)
            return visit.start(try await visit.step(start, once: once), .address)
        case .account:
            let names = LoginRequest(
                companyName: input["company"] ?? "", companyEmployeeId: input["employee"] ?? "",
                employeePublicKey: key)
            return visit.start(try await visit.step(StartLogin(.login, names, app: app), once: once), .login)
        }
    }
}

/// The forms that begin a log-in, with the accounts that this browser knows.
struct LogInContent: PageContent {
    static let template: PageTemplate = "login"

    /// The form with the e-mail address.
    struct Address: PagePart {
        let email: String
        let form: FormPart
    }

    /// The form with company and user name.
    struct Account: PagePart {
        let company: String
        /// The only tenant of the client, which is not entered; `nil` for another client.
        let only: String?
        let employee: String
        /// Whether the form is in sight without a click.
        let isOpen: Bool
        let form: FormPart
    }

    /// The button that logs in with a passkey.
    struct Passkey: PagePart {
        /// The site that passkeys belong to.
        let rp: String
        let challengePath: String
        let form: FormPart
        /// The passkey that the picker may forget.
        let ended: String?
        /// The path of the module.
        let script: String
    }

    let problems: FieldProblems?
    /// Who is logged in already.
    let account: String?
    let accountPath: String
    /// The tenant that the client names, or its only one.
    let expected: String
    /// `nil` if the service takes no passkeys.
    let passkey: Passkey?
    /// What the browser may fill in as the address.
    let completion: String
    let byAddress: Address
    let byAccount: Account
    let joinPath: String
    /// The page for founders; `nil` where nobody may found a tenant.
    let foundPath: String?
    let recoverPath: String
}

extension Route {
    /// The page that begins a log-in, at two paths, and its two forms.
    static let beginLogIns = LogInPage.Way.allCases.flatMap { way in
        beginning(way.shownAt, way.sentTo) { try await LogInPage(way, $0) }
    }
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
