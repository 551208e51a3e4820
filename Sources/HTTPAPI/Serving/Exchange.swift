import Canonical
import IdentityService
import TenureAPI

/// One request on its way through a route: read, matched and authenticated.
struct Exchange: Sendable {
    /// The service.
    let service: any TenureService
    /// The operation.
    let endpoint: Endpoint
    /// The captured segments.
    let captures: PathCaptures
    /// The query as it was sent.
    let rawQuery: Substring
    /// The header fields.
    let headers: RequestHeaders
    /// The bytes of the body.
    let body: [UInt8]
    /// Who calls; nil where nobody is asked.
    let presented: Caller?
    /// What the service is told beside the input.
    let call: Call
    /// The address of the service as callers see it, or nothing.
    let publicURL: String
    /// The address of the peer.
    let peer: String?

    /// The company that the path names.
    var company: String { captures["companyName"] }

    /// The app that calls.
    func app() throws(Refusal) -> AppCaller {
        guard case .app(let app) = presented else { throw Refusal(.appUnknown) }
        return app
    }

    /// The employee who calls.
    func employee() throws(Refusal) -> EmployeeCaller {
        guard case .employee(let employee) = presented else { throw Refusal(.sessionInvalid) }
        return employee
    }

    /// The app or the employee who calls.
    func caller() throws(Refusal) -> Caller {
        guard let presented else { throw Refusal(.appUnknown) }
        return presented
    }

    /// The body as a document; nothing at all stands for an object without members.
    func document() throws(JSONError) -> JSONValue { body.isEmpty ? [:] : try StrictJSON.parse(body) }

    /// The body as a request.
    func read<Request: JSONConvertible>(_: Request.Type) throws(JSONError) -> Request {
        try Request(json: document())
    }

    /// A link to the next page of this list; the address comes from the configuration, never from the request.
    func link(next: Int64, limit: Int64) -> String {
        var query = "after=\(next)&limit=\(limit)"
        for pair in rawQuery.split(separator: "&") where !pair.hasPrefix("after=") && !pair.hasPrefix("limit=") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.compactMap { PercentEncoding.decode($0) }.map(PercentEncoding.encode)
            query += "&" + decoded.joined(separator: "=")
        }
        return "<\(publicURL)\(endpoint.template.path(captures.all))?\(query)>; rel=\"next\""
    }
}
