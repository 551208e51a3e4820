import Canonical
import ErrorCodes
import IdentityService
import NIOCore
import TenureAPI

/// A route's response, before it becomes an HTTP response.
struct Reply: Sendable {
    var status = 200
    var headers: [String: String] = [:]
    /// The values of further `Set-Cookie` fields. None of them is stored for a repeated call.
    var cookies: [String] = []
    var body: [UInt8] = []
    /// The bytes of the body again, for a document that does not change: every reply shares them.
    var shared: ByteBuffer?
    /// Makes the pieces of a body that is written while it is made; `nil` for a body that is known.
    var pieces: (any ReplyPieces)?
    /// The code of a problem document; `nil` for other replies.
    var code: String?
    /// What the reply ends a log-in with; `nil` if it ends none.
    var login: LoginOutcome?
    /// What an answer of the OpenID provider comes to; `nil` for other replies.
    var openID: OpenIDOutcome?
    /// Whether an earlier call got the same reply.
    var isRepeated = false

    static func json(_ value: some JSONConvertible, status: Int = 200, position: Int64? = nil) -> Reply {
        var reply = Reply(status: status, headers: ["Content-Type": "application/json"], body: value.bytes)
        if let position { reply.headers[HeaderName.position] = String(position) }
        return reply
    }

    /// Replies with a page of a list and the link to the next page.
    static func page<Item>(_ page: PageResponse<Item>, _ asked: PageRequest, of exchange: RoutedRequest) -> Reply {
        var reply = json(page)
        if let next = page.next { reply.headers["Link"] = exchange.link(next: next, limit: asked.limit) }
        return reply
    }

    /// Replies with a decision that is made, or with the statement to sign.
    static func decision(_ decision: DecisionResponse) -> Reply {
        guard case .done(_, let position) = decision else { return json(decision) }
        return json(decision, position: position)
    }

    /// Replies with the outcome of a step. Questions are in the first of `languages` that the published list has.
    static func outcome(_ outcome: FlowOutcomeResponse, preferring languages: [String] = []) -> Reply {
        let position: Int64? =
            switch outcome {
            case .success(_, _, let position), .authorizationPending(_, _, let position): position
            case .setCredentials, .validateAnswers, .validatePassphrase: nil
            }
        var reply = json(outcome.preferring(languages), position: position)
        reply.login = LoginOutcome(outcome)
        return reply
    }

    /// Replies with text of the given media type.
    static func text(_ text: String, _ mediaType: String) -> Reply {
        Reply(headers: ["Content-Type": mediaType], body: Array(text.utf8))
    }

    /// Replies with status 204 and no body.
    static let noContent = Reply(status: 204)

    /// Replies with the problem document of a refusal.
    init(
        _ refusal: Refusal, in family: Endpoint.Family = .api, requestId: String, challenge: AuthenticationChallenge?,
        publicURL: String
    ) {
        var problem = Problem(
            refusal.code, requestId: requestId, errors: refusal.places, challenge: refusal.challenge,
            documentation: publicURL + "/docs")
        problem.availableAt = refusal.availableAt
        problem.notices = refusal.notices
        if let status = refusal.status { problem.status = status }
        if family == .oauth {
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
