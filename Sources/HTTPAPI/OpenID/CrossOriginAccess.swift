import IdentityService
import TenureServer

/// Lets the scripts of clients' web pages call the endpoints of tokens (Fetch, section 3.2). They send no cookie.
struct CrossOriginAccess: Sendable {
    let service: any UseCaseRunner

    /// The header fields for a response to a script of another origin, which only one that a client registered may read.
    func fields(_ headers: RequestHeaders, _ call: Call) async -> [String: String] {
        let origins = headers.all("Origin")
        guard let origin = origins.first, origins.count == 1,
            (try? await service.run(IsClientOrigin(origin: origin), call)) ?? false
        else { return ["Vary": "Origin"] }
        return ["Access-Control-Allow-Origin": origin, "Vary": "Origin"]
    }

    /// The reply to a preflight; `nil` if the origin is none of a client's.
    static func preflight(_ fields: [String: String]) -> Reply? {
        guard fields["Access-Control-Allow-Origin"] != nil else { return nil }
        var reply = Reply.noContent
        reply.headers = fields
        reply.headers["Access-Control-Allow-Methods"] = "GET, POST"
        reply.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type, Idempotency-Key"
        reply.headers["Access-Control-Max-Age"] = "600"
        return reply
    }
}
