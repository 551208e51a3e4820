import ErrorCodes
import TenureAPI

/// Finds the routes of a path.
///
/// It compares paths as they were sent and splits them before decoding, because a tenant's name may contain a slash.
struct RouteTable: Sendable {
    /// The patterns that begin with the same segments. Routes are named by their number.
    private struct Branch: Sendable {
        /// What follows a segment of the patterns, by its text.
        var literals: [Substring: Branch] = [:]
        /// What follows a segment that is captured: one branch, or none.
        var captures: [Branch] = []
        /// The routes whose pattern ends here.
        var ends: [Int] = []
        /// The routes whose last capture takes all segments that follow.
        var rests: [Int] = []

        mutating func add(_ route: Int, _ segments: ArraySlice<PathTemplate.Segment>, takesRest: Bool) {
            let rest = segments.dropFirst()
            switch segments.first {
            case nil: ends.append(route)
            case .literal(let text): literals[text[...], default: Branch()].add(route, rest, takesRest: takesRest)
            case .capture where takesRest && rest.isEmpty: rests.append(route)
            case .capture:
                if captures.isEmpty { captures = [Branch()] }
                captures[0].add(route, rest, takesRest: takesRest)
            }
        }

        func routes(at segments: ArraySlice<Substring>) -> [Int] {
            guard let segment = segments.first, !segment.isEmpty else { return segments.isEmpty ? ends : [] }
            let rest = segments.dropFirst()
            return ([literals[segment]].compactMap(\.self) + captures).flatMap { $0.routes(at: rest) } + rests
        }
    }

    private let routes: [Route]
    private let root: Branch

    init(_ routes: [Route]) {
        self.routes = routes
        root = routes.indices.reduce(into: Branch()) { root, number in
            let template = routes[number].endpoint.template
            root.add(number, template.segments[...], takesRest: template.takesRest)
        }
    }

    /// Finds the routes of a request's target, whatever its method is.
    func find(_ target: String) -> PathRoutes {
        let target = RequestTarget(target), segments = target.flatMap { PathTemplate.segments(of: $0.rawPath) }
        let found = segments.map { root.routes(at: $0[...]).sorted().map { routes[$0] } }
        return PathRoutes(target: target, segments: segments ?? [], routes: found ?? [])
    }

    /// The address of the page that a path without routes means, with a slash or capitals too many; `nil` if it means
    /// none. Captures are kept as they are, so only a path without them may have other letters.
    func page(meantBy path: PathRoutes) -> String? {
        guard path.routes.isEmpty, let target = path.target else { return nil }
        var meant = String(target.rawPath)
        while meant.count > 1, meant.hasSuffix("/") { meant.removeLast() }
        let query = target.rawQuery.isEmpty ? "" : "?" + target.rawQuery
        for candidate in [meant, meant.lowercased()] {
            let isPage = find(candidate).routes.contains { route in
                route.endpoint.family == .page && route.endpoint.method == "GET"
                    && (candidate == meant || candidate == route.endpoint.template.text)
            }
            if isPage { return candidate + query }
        }
        return nil
    }
}

/// The routes whose pattern a path matches, in the order of the table.
struct PathRoutes {
    /// The target of the request; `nil` for one that is no path.
    let target: RequestTarget?
    let segments: [Substring]
    let routes: [Route]

    /// How refusals are worded.
    var family: Endpoint.Family { routes.first?.endpoint.family ?? .api }

    /// Whether scripts of clients' web pages may call the path.
    var isOpenToOrigins: Bool { routes.contains { $0.endpoint.terms?.traits.contains(.openToOrigins) == true } }

    /// Finds the route of a method and its raw captures.
    func route(for method: String) throws(Refusal) -> (target: RequestTarget, route: Route, raw: [String: Substring]) {
        guard let target else { throw .invalid(.none, "a path of visible ASCII characters is expected") }
        guard !routes.isEmpty else { throw Refusal(.routeUnknown) }
        let wanted = method == "HEAD" ? "GET" : method
        guard let route = routes.first(where: { $0.endpoint.method == wanted }),
            let raw = route.endpoint.template.match(segments)
        else {
            let methods = routes.map(\.endpoint.method)
            throw .methodNotAllowed(allow: methods.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] })
        }
        return (target, route, raw)
    }
}
