import TenureAPI

/// Finds the route of a request.
///
/// Paths are compared as they were sent, split before anything is decoded: a company may be named with a slash.
struct RouteTable: Sendable {
    /// Every route.
    let routes: [Route]

    init(_ routes: [Route]) { self.routes = routes }

    /// The route with its raw captures; `trace` is told the pattern as soon as a path matches.
    func find(
        method: String, _ rawPath: Substring, _ trace: inout Trace
    ) throws(Refusal) -> (route: Route, raw: [String: Substring]) {
        guard let segments = PathTemplate.segments(of: rawPath) else { throw Refusal(.routeUnknown) }
        let wanted = method == "HEAD" ? "GET" : method
        var allowed: [String] = []
        for route in routes {
            guard let raw = route.endpoint.template.match(segments) else { continue }
            trace.route = route.endpoint.template.text
            if route.endpoint.method == wanted {
                trace.access = route.endpoint.access
                return (route, raw)
            }
            allowed += route.endpoint.method == "GET" ? ["GET", "HEAD"] : [route.endpoint.method]
        }
        guard allowed.isEmpty else { throw .methodNotAllowed(allow: allowed) }
        throw Refusal(.routeUnknown)
    }
}
