import TenureAPI

/// What is known of a request so far, for its log line and its counters.
struct Trace {
    /// The id of the request.
    let requestId: String
    /// The method, or `OTHER`.
    let method: String
    /// The pattern of the route; `unknown` until one matched.
    var route = "unknown"
    /// Who may call the route.
    var access: Endpoint.Access?
    /// Who calls.
    var caller: String?
    /// Whether the line is of interest only to somebody who debugs.
    var isQuiet: Bool { route == "/healthz" || route == "/readyz" || route == "/metrics" }
}
