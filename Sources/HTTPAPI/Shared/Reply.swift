import Canonical
import TenureAPI

/// A route's response, before it becomes an HTTP response.
struct Reply: Sendable {
    /// The HTTP status.
    var status = 200
    /// Header fields by name.
    var headers: [String: String] = [:]
    /// The bytes of the body.
    var body: [UInt8] = []

    /// Replies with JSON.
    static func json(_ value: some JSONConvertible, status: Int = 200, position: Int64? = nil) -> Reply {
        var reply = Reply(status: status, headers: ["Content-Type": "application/json"], body: value.bytes)
        if let position { reply.headers[HeaderName.position] = String(position) }
        return reply
    }

    /// Replies with a page of a list and the link to the next page.
    static func page<Item>(_ page: PageResponse<Item>, limit: Int64, of exchange: RoutedRequest) -> Reply {
        var reply = json(page)
        if let next = page.next { reply.headers["Link"] = exchange.link(next: next, limit: limit) }
        return reply
    }

    /// Replies with text of the given media type.
    static func text(_ text: String, _ mediaType: String) -> Reply {
        Reply(headers: ["Content-Type": mediaType], body: Array(text.utf8))
    }

    /// Replies with status 204 and no body.
    static let noContent = Reply(status: 204)

    /// Replies with the problem document of a refusal.
    init(_ refusal: Refusal, requestId: String, access: Endpoint.Access?, publicURL: String) {
        var problem = Problem(
            refusal.code, requestId: requestId, errors: refusal.places, challenge: refusal.challenge,
            documentation: publicURL + "/docs")
        problem.availableAt = refusal.availableAt
        problem.notices = refusal.notices
        if let status = refusal.status { problem.status = status }
        status = problem.status
        body = problem.bytes
        headers["Content-Type"] = Problem.mediaType
        headers[HeaderName.requestId] = requestId
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

/// The version of an object in `ETag` and `If-Match`: `"<version>"` (RFC 9110 §8.8.3).
enum EntityTag {
    /// Formats a version as a header value.
    static func text(_ version: Int) -> String { "\"\(version)\"" }

    /// Returns the version that the caller has read, or `nil` if any version is acceptable.
    ///
    /// - Throws: `request.stale` for a well-formed tag that is not a version of this service, weak tags included.
    static func version(ifMatch headers: RequestHeaders) throws(Refusal) -> Int? {
        guard let text = try headers.single("If-Match"), text != "*" else { return nil }
        let weak = text.hasPrefix("W/")
        let quoted = weak ? text.dropFirst(2) : Substring(text)
        guard quoted.utf8.count >= 2, quoted.hasPrefix("\""), quoted.hasSuffix("\"") else {
            throw .invalid(.header("If-Match"), "one entity tag is expected")
        }
        let opaque = quoted.dropFirst().dropLast()
        guard opaque.utf8.allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) }) else {
            throw .invalid(.header("If-Match"), "one entity tag is expected")
        }
        guard !weak, let version = Int64(decimal: opaque) else { throw Refusal(.requestStale) }
        return Int(version)
    }
}
