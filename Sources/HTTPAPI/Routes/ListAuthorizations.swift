import IdentityService
import TenureAPI

extension Route {
    /// `GET /v1/companies/{companyName}/authorizations`; pending ones are the only ones that it lists.
    static let listAuthorizations = Route(.listAuthorizations) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        if let state = query.text("state"), state != "pending" {
            throw Refusal.invalid(.parameter("state"), "pending is expected")
        }
        let after = try query.integer("after", in: 0...Int64.max) ?? 0
        let limit = try query.integer("limit", in: 1...200) ?? 50
        try query.finish()
        let page = try await exchange.service.pendingAuthorizations(
            of: exchange.company, after: after, limit: Int(limit), caller: exchange.caller(),
            waitFor: exchange.headers.waitFor())
        return .page(
            PageResponse(items: page.items.map(PendingAuthorizationResponse.init), next: page.next), limit: limit,
            of: exchange)
    }
}
