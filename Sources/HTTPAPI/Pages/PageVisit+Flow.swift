import Canonical
import ErrorCodes
import IdentityService
import TenureAPI
import TenureServer

extension PageVisit {
    /// The flows that the browser is in.
    var flows: FlowCookies { FlowCookies(publicURL: exchange.publicURL, exchange.headers) }

    /// The flow that the path names; `nil` for a path without one, or for a flow that is not of this browser.
    var flow: BrowserFlow? { flows[exchange.captures["flow"]] }

    /// Begins a flow of the service, in the browser's flow of the path or in a new one, and goes to the page that
    /// proves the device key.
    func start(_ started: FlowStartedResponse, _ purpose: FlowKind) -> Reply {
        let flow = flow ?? BrowserFlow(at: exchange.call.time)
        return stay(in: flow.at(.flow(purpose, handle: started.flow)), at: .showKey)
    }

    /// Goes where the outcome of a step leads.
    ///
    /// - Parameter key: The ``VisitorForm/callKey`` of the step's form.
    func go(on outcome: FlowOutcomeResponse, _ page: FlowPage, once key: String) async throws -> Reply {
        var reply: Reply
        switch outcome {
        // A change takes the secret and what replaces it in one form.
        case .validateAnswers where page.purpose == .change, .validatePassphrase where page.purpose == .change:
            reply = stay(in: page.flow, at: .showCredentials)
        case .validateAnswers: reply = stay(in: page.flow, at: .showAnswers)
        case .validatePassphrase: reply = stay(in: page.flow, at: .showPassphrase)
        case .setCredentials: reply = stay(in: page.flow, at: .showCredentials)
        case .authorizationPending(_, let fingerprint, _):
            // What waits in a recovery or a return is no key, but a decision of people or of a mail.
            reply =
                if let way = WayBack(page.purpose) { waitForWayBack(way, fingerprint: fingerprint, page.flow) } else {
                    try await wait(page)
                }
        case .success(_, let employee, _):
            reply = try await enter(employee, once: key, after: page.flow, isFounder: page.isFounding(employee))
        }
        if page.purpose.isLogIn { reply.login = LoginOutcome(outcome) }
        return reply
    }

    /// Gives the browser the cookie of the session that a form has just opened, and goes on to the client or to the
    /// account.
    ///
    /// - Parameters:
    ///   - key: The form's ``VisitorForm/callKey``.
    ///   - isFounder: Whether the account is shown with the first steps of a founder.
    func enter(
        _ employee: EmployeeSummaryResponse, once key: String, after flow: BrowserFlow, isFounder: Bool = false
    ) async throws -> Reply {
        let opened = try await exchange.run(
            TakeBrowserCookie(
                form: key, tenant: employee.tenantId, request: flow.request,
                known: knownAccounts.value(in: exchange.headers)))
        var reply =
            flow.request.isEmpty
            ? stay(in: flow.at(.done), at: isFounder ? .showFirstSteps : .showAccount)
            : stay(in: flow.at(.request), at: .goOn)
        reply.cookies += [
            exchange.cookie.setting(opened.session), knownAccounts.setting(opened.known, seconds: LanguageCookie.year),
        ]
        // No log-in fails for its language.
        reply.cookies += (try? await keepLanguage(of: employee)) ?? []
        return reply
    }

    /// The cookie that tells which accounts were logged in to in this browser.
    private var knownAccounts: BrowserCookieField { BrowserCookieField("-known", publicURL: exchange.publicURL) }

    /// Goes to a page of a flow, which has changed.
    func stay(in flow: BrowserFlow, at page: Endpoint) -> Reply {
        var reply = Reply.seeOther(
            page == .showAccount || page == .showFirstSteps ? page.template.text : page.path(in: flow))
        reply.cookies = flows.setting(flow)
        return reply
    }

    /// Goes to the page that knows what is next in a flow.
    func goOn(in flow: BrowserFlow) -> Reply {
        let page: Endpoint =
            switch flow.stage {
            case .wait: .showWaiting
            case .flow where flow.request.isEmpty: .showKey
            case .flow, .request, .done, .ended: .goOn
            }
        return .seeOther(page.path(in: flow))
    }

    /// Runs a step at most once for each answer of a form, and returns its outcome.
    ///
    /// - Parameter key: The form's ``VisitorForm/callKey``.
    /// - Throws: The step's `ServiceError`, also if it was that of the first call.
    func step<Request: RepeatableUseCase>(
        _ request: Request, once key: String
    ) async throws -> Request.Answer where Request.Answer: JSONConvertible {
        var call = call(of: key)
        call.idempotencyKey = key
        let form = WireForm<Request.Answer>(
            answer: { Reply.json($0).stored },
            refusal: { [call] in
                Reply(Refusal($0), requestId: call.requestId, challenge: nil, publicURL: "").stored
            })
        var attempt = 0
        while true {
            attempt += 1
            do {
                switch try await exchange.service.reply(to: request, call, as: form) {
                case .answered(let answer): return answer
                case .repeated(let stored): return try Self.repeated(Reply(stored))
                }
            } catch let error as ServiceError where error.code == .idempotencyInProgress && attempt < 40 {
                // The browser has sent the form twice and shows the reply to the second one.
                try await Task.sleep(for: .milliseconds(250))
            }
        }
    }

    /// The call of a form that may end a log-in in this browser.
    func call(of key: String) -> Call {
        var call = exchange.call
        call.browser = LogInBrowser(
            form: key, cookie: cookie, known: knownAccounts.value(in: exchange.headers))
        return call
    }

    private static func repeated<Answer: JSONConvertible>(_ reply: Reply) throws -> Answer {
        guard reply.status >= 400 else { return try Answer(bytes: reply.body) }
        guard let code = reply.code.flatMap(ErrorCode.init(rawValue:)) else { throw ServiceError(.idempotencyConflict) }
        let problem = try Problem(bytes: reply.body)
        var error = ServiceError(
            code, members: problem.errors.map { ServiceError.Member(pointer: "", detail: $0.detail) },
            retryAfterSeconds: reply.headers["Retry-After"].flatMap { Int($0) })
        error.availableAt = problem.availableAt
        throw error
    }
}

extension FlowView {
    /// The page of the step. A change asks for the secret on the page of what replaces it.
    var page: Endpoint { purpose == .change && step != .key ? .showCredentials : step.page }
}

extension FlowView.Step {
    var page: Endpoint {
        switch self {
        case .key: .showKey
        case .answers: .showAnswers
        case .passphrase: .showPassphrase
        case .credentials: .showCredentials
        case .account: .showPick
        }
    }
}

extension Endpoint {
    /// The same page for a flow of the browser.
    var inFlow: Endpoint { Endpoint(page: method, template.text + "/{flow}", summary) }

    func path(in flow: BrowserFlow?) -> String {
        guard let flow else { return template.text }
        let path = template.path(["flow": flow.id])
        return path == template.text ? path + "/" + flow.id : path
    }
}

extension Route {
    /// A page of a flow, which goes on in this browser.
    static func flow(
        _ endpoint: Endpoint, body: EndpointBody.Kind = .none,
        respond: @escaping @Sendable (PageVisit, BrowserFlow) async throws -> Reply
    ) -> Route {
        Route(page: endpoint, body: body) { exchange in
            let visit = PageVisit(exchange: exchange)
            guard let flow = visit.flow, !flow.isOver else { return try await visit.over(visit.flow) }
            var frame = PageFrame.current
            if let id = flow.client { frame.client = try await exchange.run(ReadClientStart(client: id))?.name }
            let reply = try await PageFrame.$current.withValue(frame) { try await respond(visit, flow) }
            return body == .form && visit.isSentByModule ? reply.forModule : reply
        }
    }

    /// A page that a flow may begin with: by itself, and for a flow of the browser.
    static func beginning(
        _ endpoint: Endpoint, body: EndpointBody.Kind = .none,
        respond: @escaping @Sendable (PageVisit) async throws -> Reply
    ) -> [Route] {
        [
            Route(page: endpoint, body: body) { try await respond(PageVisit(exchange: $0)) },
            flow(endpoint.inFlow, body: body) { visit, _ in try await respond(visit) },
        ]
    }
}
