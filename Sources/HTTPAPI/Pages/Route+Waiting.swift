import Canonical
import ErrorCodes
import HTTPLimits
import IdentityService
import TenureAPI

/// The endpoints of browsers that wait for the decision about their device key.
extension Endpoint {
    static let showWaiting = Endpoint("GET", "/waiting", .anyone, "Say whom a waiting browser waits for")
    static let streamWaiting = Endpoint("GET", "/waiting/events", .anyone, "Tell a waiting browser of the decision")
    static let endWait = Endpoint("POST", "/waiting/continue", .anyone, "Open the session that a browser waited for")
    static let enterDeviceCode = Endpoint("POST", "/waiting/code", .anyone, "Take the code of a mail about a device")
    static let sendDeviceMail = Endpoint("POST", "/waiting/mail", .anyone, "Send a mail about a device")
    static let showDeviceMail = Endpoint(
        "GET", "/waiting/mail/{tenantId}/{flowId}", .anyone, "Show the device that a mail is about")
    static let answerDeviceMail = Endpoint(
        "POST", "/waiting/mail/{tenantId}/{flowId}", .anyone, "Take the answer to a mail about a device")

    static let ofWaiting: [Endpoint] = [
        showWaiting, streamWaiting, endWait, enterDeviceCode, sendDeviceMail, showDeviceMail, answerDeviceMail,
    ]
}

extension Route {
    /// The routes of waiting browsers.
    ///
    /// - Parameter streams: Those of the process.
    static func ofWaiting(_ streams: WaitingStreams) -> [Route] {
        let stream = Route(page: .streamWaiting) { exchange in
            guard let (view, cookie) = try await PageVisit(exchange: exchange).waiting(),
                let stream = streams.open(cookie, view, exchange)
            else {
                // A browser that gets no content asks no more, and the page has a button.
                return .noContent
            }
            // A proxy must not keep the events until there are many.
            let fields = ["Content-Type": "text/event-stream", "X-Accel-Buffering": "no"]
            var reply = Reply(headers: fields)
            reply.pieces = stream
            return reply
        }
        return [showWaiting, stream, endWait, enterDeviceCode, sendDeviceMail, showDeviceMail, answerDeviceMail]
    }

    /// `GET /waiting`.
    static let showWaiting = Route(page: .showWaiting) { exchange in
        let visit = PageVisit(exchange: exchange)
        guard let (view, _) = try await visit.waiting() else { return try await visit.waitGone() }
        switch view.standing {
        case .pending, .authorized: return try await WaitingPage(visit, view).reply()
        case .refused: return try visit.waitOver(isRefused: true)
        case .over: return try visit.waitOver()
        }
    }

    /// `POST /waiting/continue`, by the module of the page.
    static let endWait = Route(page: .endWait, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange)
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch { return try visit.reply(error.notice) }
        // Another tab may have opened the session meanwhile. The page of the wait knows where to go.
        guard let cookie = visit.waitCookie.value(in: exchange.headers) else { return .seeOther("/waiting") }
        let ending = EndWait(
            cookie: cookie, challenge: form.bytes("challenge"), signature: form.bytes("proof"),
            app: try await exchange.pagesApp())
        do {
            let answer = try await exchange.run(ending)
            guard case .success(let session, _, _) = answer.outcome else { return .seeOther("/waiting") }
            let flow = FlowCookie.Value(purpose: .login, flow: "", request: answer.request)
            var reply = try await visit.enter(session: session, after: flow)
            reply.cookies.append(visit.waitCookie.deleting)
            reply.login = LoginOutcome(answer.outcome)
            return reply
        } catch let error as ServiceError where error.code == .flowWrongStep {
            return .seeOther("/waiting")
        } catch let error as ServiceError {
            // A challenge that is too old is made anew, as long as the wait goes on.
            let isOver = try await visit.waiting().map { $0.view.standing != .authorized } ?? true
            if isOver { return .seeOther("/waiting") }
            guard let page = FlowDeadEnd(error) else { throw error }
            return try page.page(
                in: visit.language(), again: "/waiting", status: error.code.status,
                requestId: exchange.call.requestId
            ).reply()
        }
    }

    /// `POST /waiting/code`.
    static let enterDeviceCode = Route(page: .enterDeviceCode, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange)
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch { return try visit.reply(error.notice) }
        guard let (view, cookie) = try await visit.waiting() else { return try visit.waitOver() }
        guard view.standing == .pending else { return .seeOther("/waiting") }
        let page = WaitingPage(visit, view), typed = (try? form.fields.text("code")) ?? ""
        guard !typed.isEmpty else { return try await page.reply(about: "code", .waitCodeMissing) }
        let code = EnterDeviceCode(code: typed, cookie: cookie, app: try await exchange.pagesApp())
        switch try await exchange.run(code) {
        case .confirmed: return .seeOther("/waiting")
        case .over, .wrong(triesLeft: 0): return try await page.reply(about: "code", .waitCodeOver)
        case .wrong(let left):
            let now = try await visit.waiting()?.view ?? view
            return try await WaitingPage(visit, now).reply(about: "code", .waitCodeWrong, "\(left)")
        }
    }

    /// `POST /waiting/mail`.
    static let sendDeviceMail = Route(page: .sendDeviceMail, body: .form) { exchange in
        let visit = PageVisit(exchange: exchange)
        do throws(PageFormRefusal) { _ = try VisitorForm(visit) } catch { return try visit.reply(error.notice) }
        guard let (view, cookie) = try await visit.waiting() else { return try visit.waitOver() }
        let sending = SendDeviceMail(
            cookie: cookie, app: try await exchange.pagesApp(), languages: exchange.headers.preferredLanguages)
        guard try await exchange.run(sending) else {
            return try await WaitingPage(visit, view).reply(about: "send", .waitMailLimit)
        }
        return .seeOther("/waiting")
    }
}

extension WaitingPage {
    /// The page with what is wrong with an input.
    fileprivate func reply(about field: String, _ word: PageWord, _ values: String...) async throws -> Reply {
        var reply = try await reply(PageProblem(field: field, text: word.text(in: language, values)))
        reply.status = 403
        return reply
    }
}

extension VisitorForm {
    /// The bytes of a field in base64url; none for a field that is missing or malformed.
    fileprivate func bytes(_ name: String) -> [UInt8] {
        (try? fields.text(name)).flatMap { Base64URL.decode($0) } ?? []
    }
}

extension PageVisit {
    /// Lets the browser wait whose flow ended in `authorizationPending`: it gets its cookie, and goes to the page.
    func wait(_ outcome: FlowOutcomeResponse, _ flow: FlowCookie.Value) async throws -> Reply {
        let beginning = BeginWait(
            flow: flow.flow, purpose: flow.purpose, request: flow.request, app: try await exchange.pagesApp(),
            network: exchange.call.sourceAddress.map(ClientNetwork.of) ?? "",
            languages: exchange.headers.preferredLanguages)
        let cookie = try await exchange.run(beginning)
        var reply = Reply.seeOther("/waiting")
        reply.cookies = [waitCookie.setting(cookie), flowCookie.deleting]
        return reply
    }
}
