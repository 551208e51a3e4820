import Canonical
import IdentityService
import NIOCore
import TenureAPI

/// A route's response, before it becomes an HTTP response.
struct Reply: Sendable {
    /// The HTTP status.
    var status = 200
    /// Header fields by name.
    var headers: [String: String] = [:]
    /// The bytes of the body.
    var body: [UInt8] = []
    /// The bytes of the body again, for a document that does not change: every reply shares them.
    var shared: ByteBuffer?
    /// The code of a problem document; `nil` for other replies.
    var code: String?
    /// What the reply ends a log-in with; `nil` if it ends none.
    var login: LoginOutcome?
    /// Whether an earlier call got the same reply.
    var isRepeated = false

    /// Replies with JSON.
    static func json(_ value: some JSONConvertible, status: Int = 200, position: Int64? = nil) -> Reply {
        var reply = Reply(status: status, headers: ["Content-Type": "application/json"], body: value.bytes)
        if let position { reply.headers[HeaderName.position] = String(position) }
        return reply
    }

    /// Replies with a page of a list and the link to the next page.
    static func page<View: Sendable, Item: JSONConvertible>(
        _ page: Page<View>, _ asked: PageRequest, of exchange: RoutedRequest, _ item: (View) -> Item
    ) -> Reply {
        var reply = json(PageResponse(items: page.items.map(item), next: page.next))
        if let next = page.next { reply.headers["Link"] = exchange.link(next: next, limit: asked.limit) }
        return reply
    }

    /// Replies with text of the given media type.
    static func text(_ text: String, _ mediaType: String) -> Reply {
        Reply(headers: ["Content-Type": mediaType], body: Array(text.utf8))
    }

    /// Replies with status 204 and no body.
    static let noContent = Reply(status: 204)

    /// Replies with the problem document of a refusal.
    init(_ refusal: Refusal, requestId: String, challenge: AuthenticationChallenge?, publicURL: String) {
        var problem = Problem(
            refusal.code, requestId: requestId, errors: refusal.places, challenge: refusal.challenge,
            documentation: publicURL + "/docs")
        problem.availableAt = refusal.availableAt
        problem.notices = refusal.notices
        if let status = refusal.status { problem.status = status }
        if refusal.isOAuth {
            problem.oauth = OAuthRefusal(
                status: problem.status, describing: refusal.places.first?.detail ?? refusal.code.advice)
        }
        status = problem.status
        code = problem.code
        body = problem.bytes
        headers["Content-Type"] = Problem.mediaType
        headers[HeaderName.requestId] = requestId
        if let seconds = refusal.retryAfter { headers["Retry-After"] = String(seconds) }
        headers["WWW-Authenticate"] = challenge?.text(refusal.code, status: status)
        headers.merge(refusal.headers) { _, own in own }
    }

    init(status: Int = 200, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
