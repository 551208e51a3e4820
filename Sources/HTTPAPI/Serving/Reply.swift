import Canonical
import TenureAPI

/// What a route answers, before it becomes an HTTP response.
struct Reply: Sendable {
    /// The status.
    var status = 200
    /// Header fields by name.
    var headers: [String: String] = [:]
    /// The bytes of the body.
    var body: [UInt8] = []

    /// JSON with a status.
    static func json(_ value: some JSONConvertible, status: Int = 200, position: Int64? = nil) -> Reply {
        var reply = Reply(status: status, headers: ["Content-Type": "application/json"], body: value.bytes)
        if let position { reply.headers[HeaderName.position] = String(position) }
        return reply
    }

    /// A page of a list with the link to the next one.
    static func page<Item>(_ page: PageResponse<Item>, limit: Int64, of exchange: Exchange) -> Reply {
        var reply = json(page)
        if let next = page.next { reply.headers["Link"] = exchange.link(next: next, limit: limit) }
        return reply
    }

    /// Text of a media type.
    static func text(_ text: String, _ mediaType: String) -> Reply {
        Reply(headers: ["Content-Type": mediaType], body: Array(text.utf8))
    }

    /// Nothing more than that it is done.
    static let noContent = Reply(status: 204)

    /// A refusal as a problem document.
    init(_ refusal: Refusal, requestId: String, access: Endpoint.Access?, publicURL: String) {
        let problem = Problem(
            refusal.code, requestId: requestId, errors: refusal.places, challenge: refusal.challenge,
            documentation: publicURL + "/docs")
        status = problem.status
        body = problem.bytes
        headers["Content-Type"] = Problem.mediaType
        if let seconds = refusal.retryAfter { headers["Retry-After"] = String(seconds) }
        if let allow = refusal.allow { headers["Allow"] = allow }
        if status == 401 { headers["WWW-Authenticate"] = access.flatMap(Authenticator.challenge) }
    }

    init(status: Int = 200, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
