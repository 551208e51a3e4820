import IdentityService
import ServiceLifecycle
import TenureAPI

extension Route {
    /// How often a waiting request looks again.
    private static let waitStep: Duration = .milliseconds(250)

    /// `GET /v1/companies/{companyName}/authorizations`; pending ones are the only ones that it lists.
    ///
    /// With `wait` it answers as soon as there is one, so that whoever decides hears of a key at once and without a
    /// connection of their own to keep. It asks the service anew each time: an admin who is dismissed or
    /// cancelled meanwhile is told nothing more.
    static let listAuthorizations = Route(.listAuthorizations) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        if let state = query.text("state"), state != "pending" {
            throw Refusal.invalid(.parameter("state"), "pending is expected")
        }
        let after = try query.integer("after", in: 0...Int64.max) ?? 0
        let limit = try query.integer("limit", in: 1...200) ?? 50
        let wait = try query.integer("wait", in: 0...20) ?? 0
        try query.finish()
        let deadline = ContinuousClock.now + .seconds(wait)
        while true {
            let page = try await exchange.service.pendingAuthorizations(
                of: exchange.company, after: after, limit: Int(limit), caller: exchange.caller(),
                waitFor: exchange.headers.waitFor())
            guard page.items.isEmpty, ContinuousClock.now + waitStep <= deadline, !Task.isShuttingDownGracefully
            else {
                return .page(
                    PageResponse(items: page.items.map(PendingAuthorizationResponse.init), next: page.next),
                    limit: limit, of: exchange)
            }
            try await Task.sleep(for: waitStep)
        }
    }
}
