import Canonical
import IdentityService
import TenureAPI

extension Route {
    /// The routes of registration, of new credentials, and of the ways back to an account.
    static let ofRegistration = [
        showRegister, registration(.showFounding, .found), registration(.showJoining, .join),
        registration(.showInvited, .invited), register(.found), register(.join), register(.invited), showCredentials,
        chooseCredentials, showWayBack, startWayBack, showWayBackWait,
    ]

    /// `GET /register`: whether to join a tenant or to found one.
    private static let showRegister = Route(page: .showRegister) { exchange in
        let visit = PageVisit(exchange: exchange), language = visit.language()
        let rule = try await exchange.run(ReadRegistrationTerms()).founding, query = visit.requestQuery
        var content: PageContent = [
            "text": .text(PageWord.registerText.text(in: language)),
            "joinPath": .text(Endpoint.showJoining.template.text + query),
            "join": .text(PageWord.registerToJoin.text(in: language)),
            "joinHint": .text(PageWord.registerJoinHint.text(in: language)),
            "logInPath": .text("/login" + query), "toLogIn": .text(PageWord.registerToLogIn.text(in: language)),
        ]
        if rule != .off {
            content["foundPath"] = .text(Endpoint.showFounding.template.text + query)
            content["found"] = .text(PageWord.registerToFound.text(in: language))
            content["foundHint"] = .text(PageWord.registerFoundHint.text(in: language))
        }
        return try HostedPage(
            template: .registerChoice, language: language, title: PageWord.registerTitle.text(in: language),
            content: content
        ).reply()
    }

    /// `GET /register/found`, `GET /register/join` and `GET /join`.
    private static func registration(_ endpoint: Endpoint, _ way: RegistrationPage.Way) -> Route {
        Route(page: endpoint) { exchange in
            let visit = PageVisit(exchange: exchange), visitor = visit.visitor, language = visit.language()
            _ = try await exchange.pagesApp()
            let terms = try await exchange.run(ReadRegistrationTerms())
            guard way != .found || terms.founding != .off else {
                return try RegistrationPage.closed(in: language).reply()
            }
            let hidden = visit.hiddenFields(of: way.sentTo, subject: visit.requestOfQuery ?? "", visitor)
            return try RegistrationPage(way, terms, in: language).page(visit.registrationOfQuery, [], hidden: hidden)
                .reply(visitor)
        }
    }

    /// `POST /register/found`, `POST /register/join` and `POST /join`: begins a registration.
    private static func register(_ way: RegistrationPage.Way) -> Route {
        Route(page: way.sentTo, body: .form) { exchange in
            let visit = PageVisit(exchange: exchange), language = visit.language()
            let form: VisitorForm
            do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch { return try visit.reply(error.notice) }
            let app = try await exchange.pagesApp(), terms = try await exchange.run(ReadRegistrationTerms())
            guard way != .found || terms.founding != .off else {
                return try RegistrationPage.closed(in: language).reply()
            }
            let page = RegistrationPage(way, terms, in: language)
            var input: [RegistrationPage.Field: String] = [:]
            for field in RegistrationPage.Field.allCases where field != .code || page.asksForCode {
                input[field] = try? form.fields.text(field.rawValue)
            }
            var problems = page.missing(in: input)
            if problems.isEmpty {
                let request = RegistrationRequest(
                    companyName: input[.company] ?? "", companyEmployeeId: input[.employee] ?? "",
                    email: input[.email] ?? "",
                    employeePublicKey: (try? form.fields.text("key")).flatMap { Base64URL.decode($0) } ?? [],
                    invitation: input[.code], intent: way.intent)
                do {
                    let started = try await visit.step(StartRegistration(request, app: app), once: form.callKey)
                    return visit.start(started, .registration, request: form.subject)
                } catch let error as ServiceError {
                    guard let problem = RegistrationProblem(error) else { throw error }
                    problems = [problem]
                }
            }
            let visitor = visit.visitor
            let hidden = visit.hiddenFields(of: way.sentTo, subject: form.subject, visitor)
            return try page.page(input, problems, hidden: hidden).reply(visitor)
        }
    }
}

extension PageVisit {
    /// The query that names the stored request again; empty without one.
    var requestQuery: String {
        guard let request = requestOfQuery, request.isHandle else { return "" }
        return "?request=" + request
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
