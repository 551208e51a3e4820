import Canonical
import IdentityService
import TenureAPI

/// How somebody gets back to an account that log-in no longer leads to.
enum WayBack: String, Sendable, CaseIterable {
    /// The answers and the passphrase are lost: people of the tenant replace them.
    case recovery
    /// All devices of the security admin are lost, and nobody else could decide.
    case returning = "return"

    /// The kind of the flow.
    var purpose: FlowKind { self == .recovery ? .recovery : .returning }

    /// The way of a flow; `nil` for a flow that is none.
    init?(_ purpose: FlowKind) {
        switch purpose {
        case .recovery: self = .recovery
        case .returning: self = .returning
        default: return nil
        }
    }

    /// What is lost, and what happens then.
    var words: (label: PageWord, hint: PageWord) {
        switch self {
        case .recovery: (.recoverSecret, .recoverSecretHint)
        case .returning: (.recoverDevices, .recoverDevicesHint)
        }
    }
}

extension PageVisit {
    /// Sends a browser that has asked for a way back to the page that says what happens now.
    ///
    /// The page shows the fingerprint that the person reads to an admin. Its address proves that this browser got it
    /// from the service: nobody can be sent to a page with the fingerprint of another device.
    func waitForWayBack(_ way: WayBack, fingerprint: String) -> Reply {
        let subject = "\(way.rawValue).\(fingerprint)", visitor = visitor
        let token = visitor.token(path: Endpoint.showWayBackWait.template.text, subject: subject).text
        var reply = Reply.seeOther(
            "\(Endpoint.showWayBackWait.template.text)?way=\(way.rawValue)&key=\(fingerprint)&token=\(token)")
        reply.cookies = [flowCookie.deleting]
        if let setting = visitor.setting { reply.cookies.append(setting) }
        return reply
    }

    /// The way and the fingerprint of the page's address; `nil` if this browser did not get it.
    fileprivate var awaited: (way: WayBack, fingerprint: String)? {
        guard let query = try? FormReader(exchange.rawQuery.utf8), let text = try? query.text("way"),
            let way = WayBack(rawValue: text), let fingerprint = try? query.text("key"),
            Hex.decode(fingerprint)?.count == 32
        else { return nil }
        let path = Endpoint.showWayBackWait.template.text, visitor = visitor
        let token = visitor.token(path: path, subject: "\(way.rawValue).\(fingerprint)")
        return visitor.setting == nil && token.matches(try? query.text("token")) ? (way, fingerprint) : nil
    }
}

extension Route {
    /// `GET /recover`.
    static let showWayBack = Route(page: .showWayBack) { exchange in
        let visit = PageVisit(exchange: exchange), visitor = visit.visitor
        _ = try await exchange.pagesApp()
        let hidden = visit.hiddenFields(of: .startWayBack, subject: visit.requestOfQuery ?? "", visitor)
        return try WayBackPage(language: visit.language()).page([:], [], hidden: hidden).reply(visitor)
    }

    /// `POST /recover`: begins a recovery, or the return of a security admin.
    static let startWayBack = Route(page: .startWayBack, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange), page = WayBackPage(language: visit.language())
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch { return try visit.reply(error.notice) }
        let app = try await exchange.pagesApp()
        var input: [WayBackPage.Field: String] = [:]
        for field in WayBackPage.Field.allCases { input[field] = try? form.fields.text(field.rawValue) }
        var problems = page.missing(in: input)
        if problems.isEmpty, let way = input[.way].flatMap(WayBack.init(rawValue:)) {
            let request = LoginRequest(
                companyName: input[.company] ?? "", companyEmployeeId: input[.employee] ?? "",
                employeePublicKey: (try? form.fields.text("key")).flatMap { Base64URL.decode($0) } ?? [])
            do {
                let started = try await visit.step(StartLogin(way.purpose, request, app: app), once: form.callKey)
                return visit.start(started, way.purpose, request: form.subject)
            } catch let error as ServiceError {
                guard let problem = WayBackPage.Problem(error) else { throw error }
                problems = [problem]
            }
        }
        let visitor = visit.visitor
        let hidden = visit.hiddenFields(of: .startWayBack, subject: form.subject, visitor)
        return try page.page(input, problems, hidden: hidden).reply(visitor)
    }

    /// `GET /recover/waiting`: what the person does now.
    static let showWayBackWait = Route(page: .showWayBackWait) { exchange in
        let visit = PageVisit(exchange: exchange), language = visit.language()
        guard let (way, fingerprint) = visit.awaited else { return .seeOther(Endpoint.showWayBack.template.text) }
        return try WayBackPage(language: language).waiting(way, fingerprint: fingerprint).reply()
    }
}
