import Logging

/// Writes one line per request: the pattern of the route, never the path, the query, a body or credentials.
struct AccessLog: Sendable {
    let logger: Logger

    /// What a line says.
    struct Line: Sendable {
        var requestId: String
        var method: String
        var route: String
        var status: Int
        var duration: Duration
        var caller: String?
    }

    func write(_ line: Line, quiet: Bool) {
        var metadata: Logger.Metadata = [
            "request_id": "\(line.requestId)", "method": "\(line.method)", "route": "\(line.route)",
            "status": "\(line.status)", "duration_ms": "\(Int((line.duration.inSeconds * 1000).rounded()))",
        ]
        if let caller = line.caller { metadata["caller"] = "\(caller)" }
        logger.log(level: quiet ? .debug : .info, "request", metadata: metadata)
    }

    /// Tells an error that nobody expected.
    func unexpected(_ error: any Error, requestId: String, route: String) {
        logger.error(
            "unexpected error",
            metadata: [
                "request_id": "\(requestId)", "route": "\(route)", "error": "\(RedactedError(error: error))",
            ])
    }

    /// The method, or `OTHER` for one that this API never knows: strangers do not choose words of our log.
    static func method(_ method: String) -> String {
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].contains(method) ? method : "OTHER"
    }
}
