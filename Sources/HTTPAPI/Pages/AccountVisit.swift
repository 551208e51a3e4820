import Canonical
import ErrorCodes
import IdentityService
import Synchronization
import TenureAPI
import TenureServer

/// Somebody who is logged in, on a page of their own account.
struct AccountVisit: Sendable {
    let visit: PageVisit
    let browser: BrowserSession
    /// The value of the browser's cookie.
    let cookie: String
    let language: PageLanguage
    /// How many wait for the person's decision, once ``me()`` was read.
    let waiting = WaitingNumber()

    var exchange: RoutedRequest { visit.exchange }

    /// The person, as use cases take one.
    var caller: EmployeeCaller { browser.caller }

    /// A text in the person's language.
    func text(_ word: PageWord, _ values: String...) -> String { word.text(in: language, values) }

    /// What a page calls an app: that of the pages has the operator's name.
    func name(ofApp name: String) -> String {
        name == OperatorUseCases.pagesAppName ? PageFrame.current.brand.brand.name : name
    }

    /// A form of the session.
    ///
    /// - Parameter request: What the form is about, which its field `request` repeats.
    func form(_ endpoint: Endpoint, _ request: String) -> FormPart {
        let path = endpoint.template.text
        return FormPart(
            action: path, token: FormToken(cookie: cookie, path: path, request: request).text, request: request)
    }

    var recoveryForm: ArmedForm { visit.armed(.cancelOwnRecovery, "recovery", cookie) }

    /// The account and its session. Of an admin it also counts who waits.
    func me() async throws -> MeResponse {
        let me = try await exchange.run(ReadMe(caller: caller))
        if me.mayDecide {
            // A page is worth showing without the number.
            waiting.value = (try? await exchange.run(CountWaiting(company: me.companyName, caller: caller))) ?? 0
        }
        return me
    }

    /// Refuses a session that does not carry the role of an admin. The service says whether another log-in does.
    ///
    /// - Throws: `session.role_missing` or `authorization.not_permitted`.
    func requireRole(_ me: MeResponse) async throws {
        guard !me.mayDecide else { return }
        _ = try await exchange.run(CountWaiting(company: me.companyName, caller: caller))
        throw ServiceError(.authorizationNotPermitted)
    }

    /// A page of the account, with the links to the others.
    func page(
        _ content: some AccountContent, _ title: PageWord, of me: MeResponse, at endpoint: Endpoint,
        problem: AccountProblem? = nil
    ) -> HostedPage {
        let number = waiting.value, done = DoneDecision(self)
        var page = HostedPage(content, title, in: language, status: problem?.status ?? 200)
        page.number = number
        page.account = AccountFrame(
            account: me.companyEmployeeId.map { text("account.loggedIn", $0, me.companyName) }
                ?? text("account.nameless", "", me.companyName),
            sections: AccountSection.all(for: me).map { section in
                AccountFrame.Link(
                    path: section.endpoint.template.text,
                    label: section.endpoint == .showApprovals && number > 0
                        ? "\(text(section.word)) (\(number))" : text(section.word),
                    isHere: section.endpoint == endpoint)
            }, done: done.flatMap { text(of: $0, me) }, problem: problem.map { text($0.word) })
        return page
    }
}

/// A number that is known once the account of a visit was read.
final class WaitingNumber: Sendable {
    private let number = Mutex(0)

    var value: Int {
        get { number.withLock { $0 } }
        set { number.withLock { $0 = newValue } }
    }
}

extension AccountVisit {
    /// What is true since a decision; `nil` for one that has no sentence.
    private func text(of done: DoneDecision, _ me: MeResponse) -> String? {
        let word: PageWord
        switch done.word {
        case "authorize": word = done.person.isEmpty ? "done.ownDevice" : "done.authorize"
        case "authorizeUnapproved": word = "done.authorizeUnapproved"
        case "passkeyWaits": word = "done.passkeyWaits"
        case "refuse": word = "done.refuse"
        case "refuseMany": word = "done.refuseMany"
        case "revoke": word = "done.revoke"
        case "approve": word = "done.approve"
        case "reject": word = "done.reject"
        case "open": word = "done.open"
        case "confirm": word = "done.confirm"
        case "cancel": word = "done.cancel"
        default: return nil
        }
        return text(word, done.person.isEmpty ? me.companyEmployeeId ?? "" : done.person, me.companyName)
    }
}

/// What every page of an account shows: whose it is, the links to the others, what is true since a decision, and what
/// went wrong.
struct AccountFrame: PagePart {
    struct Link: PagePart {
        let path: String
        let label: String
        let isHere: Bool
    }

    let account: String
    let sections: [Link]
    /// What is true since the decision that was made just now.
    let done: String?
    let problem: String?
}

/// A page that the pages of the account link to.
struct AccountSection: Sendable {
    let endpoint: Endpoint
    let word: PageWord
}

extension MeResponse {
    /// Whether the session is that of an admin, with a device key that carries the role.
    var mayDecide: Bool { session.role != "employee" }
}

extension Timestamp {
    /// The time as people read it: `2026-11-26 12:34 UTC`.
    var forPeople: String {
        let text = description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}

extension Route {
    /// A page of the account. Somebody who is not logged in is sent to log in.
    static func account(
        _ endpoint: Endpoint, _ respond: @escaping @Sendable (AccountVisit) async throws -> Reply
    ) -> Route {
        Route(page: endpoint) { exchange in
            let visit = PageVisit(exchange: exchange)
            guard let session = try await visit.session() else { return .seeOther(AccountVisit.logInPath) }
            let account = AccountVisit(
                visit: visit, browser: session.browser, cookie: session.cookie, language: visit.language())
            return try await AccountVisit.sendingToLogIn { try await respond(account) }
        }
    }

    /// A form of a page of the account, which belongs to the session that the page was shown in.
    static func accountForm(
        _ endpoint: Endpoint, _ respond: @escaping @Sendable (AccountVisit, PageForm) async throws -> Reply
    ) -> Route {
        Route(page: endpoint, body: .form) { exchange in
            let visit = PageVisit(exchange: exchange)
            let form: PageForm
            // An old form leads back to its page.
            do throws(PageFormRefusal) { form = try PageForm(visit) } catch {
                return try await visit.refused(error) { _ in .seeOther(AccountSection.path(of: endpoint)) }
            }
            guard let session = try await visit.session() else { return .seeOther(AccountVisit.logInPath) }
            let account = AccountVisit(
                visit: visit, browser: session.browser, cookie: session.cookie, language: visit.language())
            return try await AccountVisit.sendingToLogIn { try await respond(account, form) }
        }
    }
}

extension AccountVisit {
    /// Where somebody without a session goes.
    static let logInPath = "/login"

    /// Sends somebody to log in whose session or account ends while the page is made.
    static func sendingToLogIn(_ respond: () async throws -> Reply) async throws -> Reply {
        do { return try await respond() } catch let error as ServiceError where error.code == .sessionInvalid {
            return .seeOther(logInPath)
        }
    }
}
