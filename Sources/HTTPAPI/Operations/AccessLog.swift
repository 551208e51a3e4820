import Canonical
import IdentityService
import Logging
import TenureAPI

/// Writes one log line per request. It logs the path pattern, never the path, the query, a body or credentials.
struct AccessLog: Sendable {
    let logger: Logger

    /// The fields of a log line.
    struct Line: Sendable {
        var requestId: String
        var method: String
        var route: String
        var status: Int
        /// The code of the refusal; `nil` for other replies.
        var code: String?
        var duration: Duration
        /// The authenticated caller, or `pages`.
        var caller: String?
        /// What the request came to in a log-in; `nil` elsewhere.
        var login: LoginOutcome?
        /// The client, and the cause.
        var notes = RequestNotes.Facts()
    }

    func write(_ line: Line, quiet: Bool) {
        var metadata: Logger.Metadata = [
            "request_id": "\(line.requestId)", "method": "\(line.method)", "route": "\(line.route)",
            "status": "\(line.status)", "duration_ms": "\(Int((line.duration.inSeconds * 1000).rounded()))",
        ]
        let facts: [String: String?] = [
            "code": line.code, "cause": line.notes.cause, "login": line.login?.rawValue,
            "caller": line.caller, "presented_app": line.caller == nil ? line.notes.app?.lowercased : nil,
            "client": line.notes.client?.lowercased, "unknown_client": line.notes.unknownClient?.lowercased,
        ]
        for (name, value) in facts { metadata[name] = value.map { "\($0)" } }
        logger.log(level: quiet ? .debug : .info, "request", metadata: metadata)
    }

    /// Logs an error that the API contract does not name.
    func unexpected(_ error: any Error, requestId: String, route: String) {
        var metadata: Logger.Metadata = [
            "request_id": "\(requestId)", "route": "\(route)", "error": "\(RedactedError(error: error))",
        ]
        if let cause = DatabaseCause.of(error) { metadata["cause"] = "\(cause)" }
        logger.error("unexpected error", metadata: metadata)
    }

    /// Logs why a call that waited was answered as `service.unavailable`, although nothing failed.
    func cancelled(requestId: String, route: String) {
        logger.info(
            "a call was given up",
            metadata: [
                "request_id": "\(requestId)", "route": "\(route)", "cause": "the caller left, or the service stops",
            ])
    }

    /// Returns the method, or `OTHER` for a method that the API does not use. Callers cannot put words into the log.
    static func method(_ method: String) -> String {
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].contains(method) ? method : "OTHER"
    }
}

/// The facts known about a request so far, for its log line and its metrics.
struct Trace {
    let requestId: String
    /// The method, or `OTHER`.
    let method: String
    /// The path pattern, or `unknown` for a path without routes.
    var route = "unknown"
    /// How refusals are worded.
    var family = Endpoint.Family.api
    /// The endpoint, once the method is found too.
    var endpoint: Endpoint?
    /// The caller, once authenticated; `pages` for a page.
    var caller: String?
    /// What is noted about the request while it is served.
    let notes = RequestNotes()
    /// The draws of the request from the rate limits.
    var draws: [RateDraw] = []
    /// Whether the request is a probe for health. A probe is logged at a lower level and not rate-limited.
    var isQuiet: Bool { endpoint == .health || endpoint == .readiness }
}
