import ErrorCodes
import TenureAPI

/// The refusals of an operation, by status.
///
/// A set of codes that has a name in the prose is a component. Others stand with the operation. Behind a mailed link each
/// refusal is a page.
struct ContractRefusals {
    private let endpoint: Endpoint
    private let terms: EndpointTerms
    private let prose: ContractProse
    private let pages: ContractNode?
    private let family: Endpoint.Family

    init(_ endpoint: Endpoint, _ terms: EndpointTerms, _ prose: ContractProse, _ pages: ContractNode?) {
        self.endpoint = endpoint
        self.terms = terms
        self.prose = prose
        self.pages = pages
        family = endpoint.family
    }

    /// Each status with its response, and `default`.
    func nodes(_ components: inout ContractComponents) throws -> [(status: String, node: ContractNode)] {
        let codes = Dictionary(grouping: terms.codes(captures: endpoint.template.captures)) {
            ContractErrors.status(of: $0, family)
        }
        var nodes: [(String, ContractNode)] = []
        for status in Set(codes.keys).union(terms.answer.refusedPages).sorted() {
            let sorted = (codes[status] ?? []).sorted { $0.rawValue < $1.rawValue }
            nodes.append((String(status), try refusal(status, sorted, &components)))
        }
        for page in pages?.members ?? [] where !terms.answer.refusedPages.contains(where: { String($0) == page.name }) {
            throw ContractFault("operations/\(terms.operation) refuses with no page and status \(page.name)")
        }
        if terms.answer.refusesByPage { return nodes + [("default", try page(nil, &components))] }
        let every = ["Retry-After", "WWW-Authenticate", "RateLimit-Policy", "RateLimit"]
        let unknown: [ErrorCode] = [.routeUnknown, .routeMethodNotAllowed]
        let node = try response(try name(of: unknown).description, unknown, every, .api, &components)
        return nodes + [("default", components.share("responses", "Problem", node))]
    }

    private func refusal(
        _ status: Int, _ codes: [ErrorCode], _ components: inout ContractComponents
    ) throws -> ContractNode {
        if terms.answer.refusedPages.contains(status) {
            guard let text = pages?[String(status)] else {
                throw ContractFault("operations/\(terms.operation)/pages has no \(status)")
            }
            let shown = terms.answer.refusesByPage ? [] : codes
            return try response(text, shown, headers(status, codes), family, isPage: true, &components)
        }
        if terms.answer.refusesByPage { return try page(status, &components) }
        let (name, text) = try name(of: codes)
        let node = try response(text, codes, headers(status, codes), family, &components)
        guard let name else { return node }
        return components.share("responses", family == .oauth ? "OAuth" + name : name, node)
    }

    /// A page that says what to do about a refusal, or when to come again.
    private func page(_ status: Int?, _ components: inout ContractComponents) throws -> ContractNode {
        let isForNow = [412, 429, 503].contains(status)
        let name = isForNow ? "LinkRefusedForNow" : "LinkRefused"
        guard let text = try prose.section("refusals")[name]?["description"] else {
            throw ContractFault("refusals has no \(name)")
        }
        let node = try response(text, [], isForNow ? headers(429, []) : [], family, isPage: true, &components)
        return components.share("responses", name, node)
    }

    private func name(of codes: [ErrorCode]) throws -> (name: String?, description: ContractNode) {
        let wanted = Set(codes.map(\.rawValue))
        for entry in try prose.section("refusals").members {
            let codes = Set(entry.node["codes"]?.elements.compactMap(\.scalar) ?? [])
            if codes == wanted, let description = entry.node["description"] { return (entry.name, description) }
        }
        return (nil, "One of the codes below.")
    }

    private func headers(_ status: Int, _ codes: [ErrorCode]) -> [String] {
        switch status {
        case 401: return ["WWW-Authenticate"]
        case 403:
            let isAboutSession = codes.contains { [.authorizationNotPermitted, .sessionLoginRequired].contains($0) }
            let takesTokens = endpoint.access == .employee || endpoint.access == .appOrEmployee
            return isAboutSession && takesTokens ? ["WWW-Authenticate"] : []
        case 409:
            let isAboutTime = codes.contains { [.recoveryNotAvailable, .returnNotAvailable].contains($0) }
            return isAboutTime ? ["Retry-After"] : []
        case 415: return ["Accept", "Accept-Post", "Accept-Patch", "Accept-Encoding"]
        case 429: return ["Retry-After", "RateLimit-Policy", "RateLimit"]
        case 503: return ["Retry-After"]
        default: return []
        }
    }

    private func response(
        _ text: ContractNode, _ codes: [ErrorCode], _ headers: [String],
        _ family: Endpoint.Family, isPage: Bool = false, _ components: inout ContractComponents
    ) throws -> ContractNode {
        var fields = ContractObject(entries: []), content = ContractObject(entries: [], isOpen: true)
        for name in [HeaderName.requestId] + headers { fields[name] = try components.header(name) }
        if isPage { content["text/html"] = try prose.text("text/html") }
        if !codes.isEmpty {
            let schema = try components.schema(family == .oauth ? "OAuthProblem" : "Problem")
            content[Problem.mediaType] =
                ContractObject(
                    entries: [
                        .init(name: "schema", node: schema),
                        .init(name: "examples", node: try components.examples(of: codes, family)),
                    ], isOpen: true
                ).open
        }
        let response: ContractObject = [
            "description": text, "headers": .object(fields), "content": .object(content),
        ]
        return response.open
    }
}
