import IdentityService
import TenureAPI

extension Route {
    /// `GET /v1/companies/{companyName}/employees`.
    static let listEmployees = Route(.listEmployees) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        let after = try query.integer("after", in: 0...Int64.max) ?? 0
        let limit = try query.integer("limit", in: 1...200) ?? 50
        try query.finish()
        let page = try await exchange.service.employees(
            of: exchange.company, after: after, limit: Int(limit), caller: exchange.caller(),
            waitFor: exchange.headers.waitFor())
        return .page(
            PageResponse(items: page.items.map(EmployeeResponse.init), next: page.next), limit: limit, of: exchange)
    }
}
