import ErrorCodes
import IdentityService
import TenureAPI

/// What the pages of one flow of the service have in common.
struct FlowPage: Sendable {
    let visit: PageVisit
    let flow: BrowserFlow
    let purpose: FlowKind
    let handle: String
    let language: PageLanguage

    /// The page of a flow; `nil` if no flow of the service goes on.
    init?(_ visit: PageVisit, _ flow: BrowserFlow) async throws {
        guard let running = flow.running else { return nil }
        self.visit = visit
        self.flow = flow
        (purpose, handle) = running
        language = visit.language(try await visit.pending(atStep: true)?.locales ?? [])
    }

    /// The step that the flow waits for, with its questions in the language of the page.
    func view() async throws -> FlowView {
        // Who is logged in may sign for a registration in another tenant.
        let visitor = purpose == .registration ? try await visit.session()?.browser.caller : nil
        let read = ReadFlow(
            flow: handle, purpose: purpose, app: try await visit.exchange.pagesApp(), visitor: visitor)
        return try await visit.exchange.run(read).preferring([language.rawValue])
    }

    /// Where the person begins again: at the same client, or at the page that the flow began with. Who looks whether a
    /// way back is open looks there again.
    var againPath: String {
        switch purpose {
        case .recovery, .returning: path(.showWayBack)
        case _ where !flow.request.isEmpty: Endpoint.goOn.path(in: flow)
        case .login, .address: Endpoint.showLogIn.template.text
        case .registration: Endpoint.showRegister.template.text
        case .change: Endpoint.showOwnCredentials.template.text
        }
    }

    /// Whether the flow has founded the tenant of an account. Nobody else begins with the role.
    func isFounding(_ employee: EmployeeSummaryResponse) -> Bool {
        purpose == .registration && employee.role == "securityAdmin"
    }

    /// The path of a page for the same client.
    func path(_ page: Endpoint) -> String { page.path(in: flow.request.isEmpty ? nil : flow) }

    /// The page at which the flow of the service ends. A stored request stays, so that the person may begin again.
    ///
    /// - Throws: The error, if it ends no flow.
    func ending(_ error: ServiceError) throws -> Reply {
        guard let ending = FlowDeadEnd(error, of: purpose) else { throw error }
        let page = ending.page(
            in: language, again: againPath, status: error.code.status, requestId: visit.exchange.call.requestId,
            time: error.availableAt?.forPeople ?? "?")
        var reply = try page.reply()
        reply.cookies += visit.flows.setting(flow.at(flow.request.isEmpty ? .ended : .request))
        reply.code = error.code.rawValue
        if purpose.isLogIn { reply.login = .refused }
        return reply
    }
}

extension PageVisit {
    /// What waits for an authorization in the flow of the path; `nil` without a request, or if it has expired or needs
    /// no page.
    ///
    /// - Parameter isStep: Whether it is for a step of a log-in, which goes on whatever the request waits for meanwhile.
    func pending(atStep isStep: Bool = false) async throws -> AwaitedAuthorization? {
        guard let handle = flow?.request, !handle.isEmpty else { return nil }
        return try await exchange.run(ReadAuthorization(handle: handle, cookie: isStep ? nil : cookie))
    }

    /// The reply of a page that begins a log-in, where no log-in is what the flow waits for; `nil` where it is.
    func beyondLogIn(_ pending: AwaitedAuthorization?) -> Reply? {
        guard let flow, !flow.request.isEmpty, pending?.isAboutLogIn != true else { return nil }
        return .seeOther(Endpoint.goOn.path(in: flow))
    }
}

extension AwaitedAuthorization {
    /// Whether a log-in is what the request waits for, perhaps to another account.
    var isAboutLogIn: Bool { page == .logIn || page == .chooseAccount }
}

extension Route {
    /// A page of a flow's step. It goes to the page of the step that the flow waits for, if that is another one.
    ///
    /// - Parameters:
    ///   - permits: Whether the page belongs to the step.
    ///   - make: Makes the page.
    static func step(
        _ endpoint: Endpoint, where permits: @escaping @Sendable (FlowView) -> Bool,
        _ make: @escaping @Sendable (FlowPage, FlowView) throws -> Reply
    ) -> Route {
        flow(endpoint) { visit, flow in
            guard let page = try await FlowPage(visit, flow) else { return visit.goOn(in: flow) }
            do {
                let view = try await page.view()
                return try permits(view) ? make(page, view) : .seeOther(view.page.path(in: flow))
            } catch let error as ServiceError {
                return try page.ending(error)
            }
        }
    }
}
