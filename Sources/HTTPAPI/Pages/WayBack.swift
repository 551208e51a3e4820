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
        case .recovery: ("recover.secret", "recover.secretHint")
        case .returning: ("recover.devices", "recover.devicesHint")
        }
    }
}

extension PageVisit {
    /// Sends a browser that has asked for a way back to the page that says what happens now.
    ///
    /// The page shows the fingerprint that the person reads to an admin. Its address proves that this browser got it
    /// from the service: nobody can be sent to a page with the fingerprint of another device.
    func waitForWayBack(_ way: WayBack, fingerprint: String, _ flow: BrowserFlow) -> Reply {
        let subject = "\(way.rawValue).\(fingerprint)", visitor = visitor
        let token = visitor.token(path: Endpoint.showWayBackWait.template.text, subject: subject).text
        let client = flow.request.isEmpty ? "" : "&flow=\(flow.id)"
        var reply = Reply.seeOther(
            "\(Endpoint.showWayBackWait.template.text)?way=\(way.rawValue)&key=\(fingerprint)&token=\(token)\(client)")
        reply.cookies = flows.setting(flow.at(flow.request.isEmpty ? .ended : .request))
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

extension PageVisit {
    /// The page on which somebody asks for a way back.
    fileprivate func wayBackPage(
        _ input: [WayBackPage.Field: String], _ problems: [WayBackPage.Problem]
    ) throws -> Reply {
        let visitor = visitor
        let form = form(of: .startWayBack, visitor).merging(["loginPath": .text(Endpoint.showLogIn.path(in: flow))])
        return try WayBackPage(language: language()).page(input, problems, hidden: form).reply(visitor)
    }
}

extension Route {
    /// `GET /recover`, and for a flow.
    static let showWayBack = beginning(.showWayBack) { visit in
        _ = try await visit.exchange.pagesApp()
        return try visit.wayBackPage([:], [])
    }

    /// `POST /recover`, and for a flow: begins a recovery, or the return of a security admin.
    static let startWayBack = beginning(.startWayBack, body: .form) { visit in
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch {
            return try await visit.refused(error) { typed in
                let problem = WayBackPage.Problem(field: nil, word: "form.again", status: 403)
                return try visit.wayBackPage(WayBackPage.input(typed), [problem])
            }
        }
        let app = try await visit.exchange.pagesApp(), input = WayBackPage.input(form.fields)
        var problems = WayBackPage(language: visit.language()).missing(in: input)
        if problems.isEmpty, let way = input[.way].flatMap(WayBack.init(rawValue:)) {
            let request = LoginRequest(
                companyName: input[.company] ?? "", companyEmployeeId: input[.employee] ?? "",
                employeePublicKey: (try? form.fields.text("key")).flatMap { Base64URL.decode($0) } ?? [])
            do {
                let start = StartLogin(way.purpose, request, app: app)
                return visit.start(try await visit.step(start, once: form.callKey), way.purpose)
            } catch let error as ServiceError {
                guard let problem = WayBackPage.Problem(error) else { throw error }
                problems = [problem]
            }
        }
        return try visit.wayBackPage(input, problems)
    }

    /// `GET /recover/waiting`: what the person does now.
    static let showWayBackWait = Route(page: .showWayBackWait) { exchange in
        let visit = PageVisit(exchange: exchange), language = visit.language()
        guard let (way, fingerprint) = visit.awaited else { return .seeOther(Endpoint.showWayBack.template.text) }
        // Who comes from a client looks again for the same client, as long as its request waits.
        let flow = (try? FormReader(exchange.rawQuery.utf8).text("flow")).flatMap { visit.flows[$0] }
        let again = Endpoint.showWayBack.path(in: flow.flatMap { $0.isOver ? nil : $0 })
        return try WayBackPage(language: language).waiting(way, fingerprint: fingerprint, again: again).reply()
    }
}
