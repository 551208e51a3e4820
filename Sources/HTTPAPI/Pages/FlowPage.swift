import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

/// What the pages of one flow have in common.
struct FlowPage: Sendable {
    let visit: PageVisit
    let flow: FlowCookie.Value
    /// What waits for the end of the flow; `nil` if it is for no client, or the request has expired.
    let pending: AwaitedAuthorization?
    let language: PageLanguage

    init(_ visit: PageVisit, _ flow: FlowCookie.Value) async throws {
        self.visit = visit
        self.flow = flow
        pending = try await visit.pending(flow.request)
        language = visit.language(pending?.locales ?? [])
    }

    /// The step that the flow waits for, with its questions in the language of the page.
    func view() async throws -> FlowView {
        let read = ReadFlow(flow: flow.flow, purpose: flow.purpose, app: try await visit.exchange.pagesApp())
        return try await visit.exchange.run(read).preferring([language.rawValue])
    }

    /// Where the person begins again: at the same client, or at the page that the flow began with.
    var againPath: String {
        guard flow.request.isEmpty else {
            return "\(Endpoint.authorize.template.text)?continue=\(PercentEncoding.encode(flow.request))"
        }
        return switch flow.purpose {
        case .login: "/login"
        case .address: "/login/address"
        case .registration: "/register"
        case .recovery, .returning: "/recover"
        case .change: "/account"
        }
    }

    /// The path of a page for the same client.
    func path(_ page: String) -> String { visit.path(page, for: flow.request) }

    /// The page at which the flow ends. The flow's cookie goes, unless another tab has begun another flow.
    ///
    /// - Throws: The error, if it ends no flow.
    func ending(_ error: ServiceError) throws -> Reply {
        guard let ending = FlowDeadEnd(error, of: flow.purpose) else { throw error }
        let page = ending.page(
            in: language, again: againPath, status: error.code.status, requestId: visit.exchange.call.requestId,
            time: error.availableAt?.forPeople ?? "?")
        var reply = try page.reply()
        if visit.flow() == flow { reply.cookies.append(visit.flowCookie.deleting) }
        reply.code = error.code.rawValue
        if flow.isLogIn { reply.login = .refused }
        return reply
    }
}

extension PageVisit {
    /// What waits for an authorization; `nil` without a handle, or if the request has expired or needs no page.
    func pending(_ handle: String) async throws -> AwaitedAuthorization? {
        guard !handle.isEmpty else { return nil }
        return try await exchange.run(ReadAuthorization(handle: handle, cookie: cookie))
    }

    /// The path of a page for a stored request.
    ///
    /// - Parameter request: The handle; empty for none.
    func path(_ page: String, for request: String) -> String {
        request.isEmpty ? page : "\(page)?request=\(PercentEncoding.encode(request))"
    }

    /// Shows a page of the browser's flow, or goes to the page of the step that the flow waits for.
    ///
    /// - Parameters:
    ///   - permits: Whether the page belongs to the step.
    ///   - make: Makes the page.
    func show(
        where permits: (FlowView) -> Bool, _ make: (FlowPage, FlowView) throws -> Reply
    ) async throws -> Reply {
        guard let flow = flow() else {
            return try FlowDeadEnd.expired.page(
                in: language(), again: "/login", status: ErrorCode.flowExpired.status,
                requestId: exchange.call.requestId
            ).reply()
        }
        let page = try await FlowPage(self, flow)
        do {
            let view = try await page.view()
            return try permits(view) ? make(page, view) : .seeOther(FlowPath.of(view.step))
        } catch let error as ServiceError {
            return try page.ending(error)
        }
    }
}
