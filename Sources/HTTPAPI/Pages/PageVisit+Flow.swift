import Canonical
import ErrorCodes
import IdentityService
import TenureAPI
import TenureServer

extension PageVisit {
    /// The cookie of flows.
    var flowCookie: FlowCookie { FlowCookie(publicURL: exchange.publicURL) }

    /// The flow that the browser is in; `nil` without one.
    func flow() -> FlowCookie.Value? { flowCookie.value(in: exchange.headers) }

    /// Begins a flow: the browser gets its cookie, and goes to the page that proves the device key.
    ///
    /// - Parameter request: The handle of the stored request that the flow is for; empty without one.
    func start(_ started: FlowStartedResponse, _ purpose: FlowKind, request: String) -> Reply {
        stay(in: FlowCookie.Value(purpose: purpose, flow: started.flow, request: request), at: FlowPath.key)
    }

    /// Goes where the outcome of a step leads.
    ///
    /// - Parameter key: The ``VisitorForm/callKey`` of the step's form.
    func go(on outcome: FlowOutcomeResponse, _ flow: FlowCookie.Value, once key: String) async throws -> Reply {
        var reply: Reply
        switch outcome {
        case .validateAnswers: reply = stay(in: flow, at: FlowPath.answers)
        case .validatePassphrase: reply = stay(in: flow, at: FlowPath.passphrase)
        case .setCredentials: reply = stay(in: flow, at: FlowPath.credentials)
        case .authorizationPending(_, let fingerprint, _):
            // What waits in a recovery or a return is no key, but a decision of people or of a mail.
            reply =
                if let way = WayBack(flow.purpose) { waitForWayBack(way, fingerprint: fingerprint) } else {
                    try await wait(outcome, flow)
                }
        case .success(_, let employee, _): reply = try await enter(employee, once: key, after: flow)
        }
        if flow.isLogIn { reply.login = LoginOutcome(outcome) }
        return reply
    }

    /// Gives the browser the cookie of the session that a form has just opened, ends the flow's cookie, and goes on to the
    /// client or to the account.
    ///
    /// - Parameter key: The form's ``VisitorForm/callKey``.
    func enter(
        _ employee: EmployeeSummaryResponse, once key: String, after flow: FlowCookie.Value
    ) async throws -> Reply {
        let opened = try await exchange.run(TakeBrowserCookie(form: key, tenant: employee.tenantId))
        var reply = Reply.seeOther("/account")
        if !flow.request.isEmpty {
            try await exchange.run(NoteChosenAccount(handle: flow.request, cookie: opened))
            reply = exchange.goingOn(with: flow.request)
        }
        reply.cookies = [exchange.cookie.setting(opened), flowCookie.deleting]
        return reply
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
                case .repeated(let stored): return try Self.repeated(try Reply(stored: stored))
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
        call.browser = LogInBrowser(form: key, cookie: cookie)
        return call
    }

    private static func repeated<Answer: JSONConvertible>(_ reply: Reply) throws -> Answer {
        guard reply.status >= 400 else { return try Answer(bytes: reply.body) }
        guard let code = reply.code.flatMap(ErrorCode.init(rawValue:)) else { throw StoredReplyError() }
        let problem = try Problem(bytes: reply.body)
        throw ServiceError(
            code, members: problem.errors.map { ServiceError.Member(pointer: "", detail: $0.detail) },
            retryAfterSeconds: reply.headers["Retry-After"].flatMap { Int($0) })
    }

    /// Goes to the page of a step of a flow.
    func stay(in flow: FlowCookie.Value, at path: String) -> Reply {
        var reply = Reply.seeOther(path)
        reply.cookies = [flowCookie.setting(flow)]
        return reply
    }
}

/// The paths of the pages of a flow.
enum FlowPath {
    static let key = "/flow/key"
    static let answers = "/flow/answers"
    static let passphrase = "/flow/passphrase"
    static let credentials = "/flow/credentials"
    static let account = "/flow/account"

    /// The path of the page for a step.
    static func of(_ step: FlowView.Step) -> String {
        switch step {
        case .key: key
        case .answers: answers
        case .passphrase: passphrase
        case .credentials: credentials
        case .account: account
        }
    }
}
