import Canonical
import ErrorCodes
import HTTPLimits
import IdentityService
import TenureAPI
import TenureServer

/// The endpoints of browsers that wait for the decision about their device key.
extension Endpoint {
    static let showWaiting = Endpoint(page: "GET", "/waiting/{flow}", "Say whom a waiting browser waits for")
    static let streamWaiting = Endpoint(page: "GET", "/waiting/{flow}/events", "Tell a waiting browser of the decision")
    static let endWait = Endpoint(
        page: "POST", "/waiting/{flow}/continue", "Open the session that a browser waited for")
    static let enterDeviceCode = Endpoint(
        page: "POST", "/waiting/{flow}/code", "Take the code of a mail about a device")
    static let sendDeviceMail = Endpoint(page: "POST", "/waiting/{flow}/mail", "Send a mail about a device")
    static let showDeviceMail = Endpoint(
        page: "GET", "/waiting/mail/{tenantId}/{flowId}", "Show the device that a mail is about")
    static let showWaitingMails = Endpoint(
        page: "GET", "/waiting/admins/{tenantId}/{userId}", "Ask whether mails about who waits are stopped")
    static let stopWaitingMails = Endpoint(
        page: "POST", "/waiting/admins/{tenantId}/{userId}", "Stop the mails to an admin about who waits")
    static let answerDeviceMail = Endpoint(
        page: "POST", "/waiting/mail/{tenantId}/{flowId}", "Take the answer to a mail about a device")
}

extension Route {
    /// The routes of waiting browsers.
    ///
    /// - Parameter streams: Those of the process.
    static func ofWaiting(_ streams: WaitingStreams) -> [Route] {
        let stream = Route(page: .streamWaiting) { exchange in
            guard let (view, cookie) = try await PageVisit(exchange: exchange).waiting() else {
                // A browser that gets no content asks no more, and the page has a button.
                return .noContent
            }
            let shown = try? FormReader(exchange.rawQuery.utf8).text("mail")
            return streams.answer(cookie, view, shown: shown, exchange)
        }
        return [
            showWaiting, stream, endWait, enterDeviceCode, sendDeviceMail, showDeviceMail, answerDeviceMail,
            showWaitingMails, stopWaitingMails,
        ]
    }

    /// A page or a form of a browser that waits.
    private static func wait(
        _ endpoint: Endpoint, body: EndpointBody.Kind = .none,
        respond: @escaping @Sendable (PageVisit, BrowserFlow, WaitView, String) async throws -> Reply
    ) -> Route {
        flow(endpoint, body: body) { visit, flow in
            guard flow.wait != nil else { return visit.goOn(in: flow) }
            if body == .form {
                do throws(PageFormRefusal) { _ = try VisitorForm(visit) } catch {
                    let page = visit.goOn(in: flow), keepsCookies = visit.visitor.setting == nil
                    return try await visit.refused(error) { _ in keepsCookies ? page : try visit.reply(.cookie) }
                }
            }
            guard let (view, cookie) = try await visit.waiting(isForPage: true) else {
                return try await visit.waitGone(flow)
            }
            return try await respond(visit, flow, view, cookie)
        }
    }

    static let showWaiting = wait(.showWaiting) { visit, flow, view, _ in
        switch view.standing {
        case .pending: return try await WaitingPage(visit, flow, view).reply()
        case .authorized:
            // A session of the same account that another tab has opened does, unless the client wants another log-in.
            if let session = try await visit.session(), session.browser.employeeID == view.employeeID,
                try await visit.pending()?.isAboutLogIn != true
            {
                return flow.request.isEmpty
                    ? visit.stay(in: flow.at(.done), at: .showAccount) : visit.stay(in: flow.at(.request), at: .goOn)
            }
            return try await WaitingPage(visit, flow, view).reply()
        case .refused: return try visit.waitOver(flow, isRefused: true)
        case .over: return try visit.waitOver(flow)
        }
    }

    /// `POST /waiting/{flow}/continue`, by the module of the page.
    static let endWait = wait(.endWait, body: .form) { visit, flow, view, cookie in
        let form = try VisitorForm(visit)
        // Somebody else who logged in meanwhile is not replaced without a button that says so.
        if let session = try await visit.session(), session.browser.employeeID != view.employeeID,
            form.text("replaces") != session.browser.employeeID.lowercased
        {
            return visit.goOn(in: flow)
        }
        let ending = EndWait(
            cookie: cookie, challenge: form.bytes("challenge"), signature: form.bytes("proof"),
            app: try await visit.exchange.pagesApp())
        do {
            let answer = try await visit.exchange.service.run(ending, visit.call(of: form.callKey))
            guard case .success(_, let employee, _) = answer.outcome else { return visit.goOn(in: flow) }
            var reply = try await visit.enter(employee, once: form.callKey, after: flow)
            reply.login = LoginOutcome(answer.outcome)
            return reply
        } catch let error as ServiceError where error.code == .flowWrongStep {
            return visit.goOn(in: flow)
        } catch let error as ServiceError {
            // A challenge that is too old is made anew, as long as the wait goes on.
            let isOver = try await visit.waiting().map { $0.view.standing != .authorized } ?? true
            if isOver { return visit.goOn(in: flow) }
            guard let page = FlowDeadEnd(error) else { throw error }
            return try page.page(
                in: visit.language(), again: Endpoint.showWaiting.path(in: flow), status: error.code.status,
                requestId: visit.exchange.call.requestId
            ).reply()
        }
    }

    static let enterDeviceCode = wait(.enterDeviceCode, body: .form) { visit, flow, view, cookie in
        guard view.standing == .pending else { return visit.goOn(in: flow) }
        let typed = try VisitorForm(visit).text("code") ?? ""
        let page = WaitingPage(visit, flow, view, entered: typed)
        guard !typed.isEmpty else { return try await page.reply(about: .code, "wait.codeMissing") }
        let code = EnterDeviceCode(code: typed, cookie: cookie, app: try await visit.exchange.pagesApp())
        switch try await visit.exchange.run(code) {
        case .confirmed: return visit.goOn(in: flow)
        case .over, .wrong(triesLeft: 0): return try await page.reply(about: .code, "wait.codeOver")
        case .wrong(let left):
            let now = try await visit.waiting(isForPage: true)?.view ?? view
            return try await WaitingPage(visit, flow, now, entered: typed).reply(
                about: .code, "wait.codeWrong", "\(left)")
        }
    }

    static let sendDeviceMail = wait(.sendDeviceMail, body: .form) { visit, flow, view, cookie in
        let sending = SendDeviceMail(
            cookie: cookie, app: try await visit.exchange.pagesApp(),
            languages: visit.languages)
        guard try await visit.exchange.run(sending) else {
            return try await WaitingPage(visit, flow, view).reply(about: .send, "wait.mailLimit")
        }
        return visit.goOn(in: flow)
    }
}

extension WaitingPage {
    /// The page with what is wrong with an input.
    fileprivate func reply(
        about field: FieldProblem.Field, _ word: PageWord, _ values: String...
    ) async throws -> Reply {
        try await reply(FieldProblem(field: field, word: word, values: values, status: 403))
    }
}

extension VisitorForm {
    /// The bytes of a field in base64url; none for a field that is missing or malformed.
    fileprivate func bytes(_ name: String) -> [UInt8] {
        (try? fields.text(name)).flatMap { Base64URL.decode($0) } ?? []
    }
}

extension PageVisit {
    /// Lets the browser wait whose flow ended in `authorizationPending`.
    func wait(_ page: FlowPage) async throws -> Reply {
        let beginning = BeginWait(
            flow: page.handle, purpose: page.purpose, request: page.flow.request, app: try await exchange.pagesApp(),
            network: exchange.call.sourceAddress.map(ClientNetwork.of) ?? "",
            languages: [page.language.rawValue])
        return stay(in: page.flow.at(.wait(try await exchange.run(beginning))), at: .showWaiting)
    }
}
