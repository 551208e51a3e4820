import Canonical
import IdentityService
import TenureAPI

extension Route {
    /// The routes of registration, of new credentials, and of the ways back to an account.
    static let ofRegistration: [Route] =
        [showWayBackWait, showCredentials, chooseCredentials]
        + RegistrationPage.Way.allCases.flatMap { registration($0) + register($0) } + showRegister + showWayBack
        + startWayBack

    /// `GET /register`, and for a flow: whether to join a tenant or to found one.
    private static let showRegister = beginning(.showRegister) { visit in
        let language = visit.language(), flow = visit.flow
        let rule = try await visit.exchange.run(ReadRegistrationTerms()).founding
        var content: PageContent = [
            "text": .text(PageWord("register.text").text(in: language)),
            "joinPath": .text(Endpoint.showJoining.path(in: flow)),
            "join": .text(PageWord("register.toJoin").text(in: language)),
            "joinHint": .text(PageWord("register.joinHint").text(in: language)),
            "logInPath": .text(Endpoint.showLogIn.path(in: flow)),
            "toLogIn": .text(PageWord("register.toLogIn").text(in: language)),
        ]
        if rule != .off {
            content["foundPath"] = .text(Endpoint.showFounding.path(in: flow))
            content["found"] = .text(PageWord("register.toFound").text(in: language))
            content["foundHint"] = .text(PageWord("register.foundHint").text(in: language))
        }
        return try HostedPage(
            template: .registerChoice, language: language, title: PageWord("register.title").text(in: language),
            content: content
        ).reply()
    }

    /// `GET /register/found`, `GET /register/join` and `GET /join`, and for a flow.
    private static func registration(_ way: RegistrationPage.Way) -> [Route] {
        beginning(way.shownAt) { visit in
            _ = try await visit.exchange.pagesApp()
            let terms = try await visit.exchange.run(ReadRegistrationTerms())
            return try visit.registrationPage(way, terms, visit.registrationOfQuery, [])
        }
    }

    /// `POST /register/found`, `POST /register/join` and `POST /join`, and for a flow: begins a registration.
    private static func register(_ way: RegistrationPage.Way) -> [Route] {
        beginning(way.sentTo, body: .form) { visit in
            let exchange = visit.exchange, form: VisitorForm
            do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch {
                return try await visit.refused(error) { typed in
                    try visit.registrationPage(
                        way, try await exchange.run(ReadRegistrationTerms()), RegistrationPage.input(typed),
                        [RegistrationProblem(field: nil, word: "form.again", status: 403)])
                }
            }
            let app = try await exchange.pagesApp(), terms = try await exchange.run(ReadRegistrationTerms())
            let page = RegistrationPage(way, terms, in: visit.language())
            guard way != .found || terms.founding != .off else {
                return try RegistrationPage.closed(in: visit.language()).reply()
            }
            var input = RegistrationPage.input(form.fields)
            if !page.asksForCode { input[.code] = nil }
            var problems = page.missing(in: input)
            if problems.isEmpty {
                let request = RegistrationRequest(
                    companyName: input[.company] ?? "", companyEmployeeId: input[.employee] ?? "",
                    email: input[.email] ?? "",
                    employeePublicKey: (try? form.fields.text("key")).flatMap { Base64URL.decode($0) } ?? [],
                    invitation: input[.code], intent: way.intent)
                do {
                    let started = try await visit.step(StartRegistration(request, app: app), once: form.callKey)
                    return visit.start(started, .registration)
                } catch let error as ServiceError {
                    guard let problem = RegistrationProblem(error) else { throw error }
                    problems = [problem]
                }
            }
            return try visit.registrationPage(way, terms, input, problems)
        }
    }
}

extension RegistrationPage {
    /// What was typed.
    fileprivate static func input(_ fields: FormReader) -> [Field: String] {
        Field.allCases.reduce(into: [:]) { input, field in input[field] = try? fields.text(field.rawValue) }
    }
}

extension PageVisit {
    /// The page with the form of a registration.
    fileprivate func registrationPage(
        _ way: RegistrationPage.Way, _ terms: RegistrationTerms, _ input: [RegistrationPage.Field: String],
        _ problems: [RegistrationProblem]
    ) throws -> Reply {
        let visitor = visitor, language = language()
        guard way != .found || terms.founding != .off else { return try RegistrationPage.closed(in: language).reply() }
        let form = form(of: way.sentTo, visitor).merging([
            "loginPath": .text(Endpoint.showLogIn.path(in: flow))
        ])
        return try RegistrationPage(way, terms, in: language).page(input, problems, hidden: form).reply(visitor)
    }

    /// What a link says about a registration. Links of ours say it behind the `#`, where only the browser reads it; a
    /// link that somebody writes may say it in the query.
    fileprivate var registrationOfQuery: [RegistrationPage.Field: String] {
        guard let query = try? FormReader(exchange.rawQuery.utf8) else { return [:] }
        let names: [(RegistrationPage.Field, String)] = [
            (.company, "company"), (.employee, "id"), (.email, "email"), (.code, "invitation"),
        ]
        return names.reduce(into: [:]) { found, pair in found[pair.0] = try? query.text(pair.1) }
    }
}
