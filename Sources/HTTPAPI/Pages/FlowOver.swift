import IdentityService
import TenureAPI

/// What became of a flow whose pages a browser goes back to, or that is not one of this browser.
struct FlowOver: Sendable {
    let language: PageLanguage
    /// The flow; `nil` for one that this browser does not know.
    let flow: BrowserFlow?
    /// The client of the flow; `nil` without one.
    let client: ReadClientStart.Start?
    let isLoggedIn: Bool

    /// The page: how to go on with the client, to the account, or to log in.
    func page(requestId: String) -> HostedPage {
        let title: PageWord, text: PageWord
        switch (flow, isLoggedIn) {
        case (nil, _): (title, text) = ("flow.elsewhereTitle", "flow.elsewhere")
        case (_?, true): (title, text) = ("flow.doneTitle", "flow.done")
        case (_?, false): (title, text) = ("ending.expiredTitle", "flow.ended")
        }
        let next: (path: String, label: String)
        if let client, let origin = client.origin {
            next = (origin + "/", language.text(isLoggedIn ? "flow.goOn" : "flow.againAt", client.name))
        } else if isLoggedIn {
            next = (Endpoint.showAccount.template.text, language.text("flow.toAccount"))
        } else {
            next = (Endpoint.showLogIn.template.text, language.text("ending.again"))
        }
        let content = EndingContent(
            text: language.text(text), againPath: next.path, again: next.label, requestId: requestId)
        return HostedPage(content, title, in: language, status: flow != nil && isLoggedIn ? 200 : 410)
    }
}

extension PageVisit {
    /// The page of a flow that is over, or of none of this browser.
    func over(_ flow: BrowserFlow?) async throws -> Reply {
        var client: ReadClientStart.Start?
        if let id = flow?.client { client = try await exchange.run(ReadClientStart(client: id)) }
        let over = FlowOver(
            language: language(), flow: flow, client: client, isLoggedIn: try await session() != nil)
        var reply = try over.page(requestId: exchange.call.requestId).reply()
        RequestNotes.note("flow_over")
        if let flow { reply.cookies = flows.setting(flow) }
        return reply
    }
}
