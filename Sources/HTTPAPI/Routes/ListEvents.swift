import IdentityService
import TenureAPI

extension Route {
    /// `GET /v1/companies/{companyName}/events`.
    static let listEvents = Route(.listEvents) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        let after = try query.integer("after", in: 0...Int64.max) ?? 0
        let limit = try query.integer("limit", in: 1...500) ?? 100
        let type = query.text("type")
        let employee = query.text("employee")
        let asOf = try query.timestamp("as_of")
        try query.finish()
        let page = try await exchange.service.events(
            of: exchange.company,
            EventQuery(after: after, limit: Int(limit), type: type, employee: employee, asOf: asOf),
            caller: exchange.caller())
        return .page(
            PageResponse(items: page.items.map(EventResponse.init), next: page.next), limit: limit, of: exchange)
    }
}
