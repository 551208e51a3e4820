import ErrorCodes
import TenureAPI

struct ContractOperation {
    private let endpoint: Endpoint
    private let terms: EndpointTerms
    private let prose: ContractProse
    private let texts: ContractNode?

    init(_ endpoint: Endpoint, _ terms: EndpointTerms, _ prose: ContractProse) throws {
        self.endpoint = endpoint
        self.terms = terms
        self.prose = prose
        texts = try prose.section("operations")[terms.operation]
    }

    /// The operation. The components that it needs are added.
    func node(_ components: inout ContractComponents) throws -> ContractObject {
        var operation: ContractObject = [
            "operationId": .text(terms.operation), "tags": .list([.text(terms.chapter.rawValue)]),
            "summary": .text(endpoint.summary),
        ]
        if let description = texts?["description"] { operation["description"] = description }
        operation["security"] = .list(security)
        operation["x-callers"] = .list(terms.callers.map { .literal($0.rawValue) })
        operation["parameters"] = .list(try parameters(&components))
        if let body = try body(&components) { operation["requestBody"] = body }
        operation["responses"] = try responses(&components).open
        return operation
    }

    private var security: [ContractNode] {
        let app = ContractNode.object(["app": .list([])]), employee = ContractNode.object(["employee": .list([])])
        return switch endpoint.access {
        case .anyone: [.object([:])]
        case .app: [app]
        case .employee: [employee]
        case .appOrEmployee: [app, employee]
        }
    }

    // MARK: Request

    private func parameters(_ components: inout ContractComponents) throws -> [ContractNode] {
        var parameters: [ContractNode] = []
        for name in endpoint.template.captures {
            let node = try parameter(name, in: "path", isRequired: true, ["type": "string"], &components)
            parameters.append(components.share("parameters", name, node))
        }
        let traits: [(EndpointTraits, String)] = [
            (.idempotent, HeaderName.idempotencyKey), (.conditional, "If-None-Match"), (.versioned, "If-Match"),
            (.waits, HeaderName.waitFor), (.multilingual, "Accept-Language"),
        ]
        for name in [HeaderName.requestId] + traits.filter({ terms.traits.contains($0.0) }).map(\.1) {
            let node = try parameter(name, in: "header", isRequired: false, ["type": "string"], &components)
            parameters.append(components.share("parameters", name, node))
        }
        for query in terms.query {
            let schema = ContractSchemas.parameter(query)
            let node = try parameter(query.name, in: "query", isRequired: false, schema, &components)
            parameters.append(components.share("parameters", query.name, node))
        }
        return parameters
    }

    private func parameter(
        _ name: String, in place: String, isRequired: Bool, _ schema: ContractObject,
        _ components: inout ContractComponents
    ) throws -> ContractNode {
        guard let texts = try prose.section("parameters")[name] else {
            throw ContractFault("parameters has no \(name)")
        }
        var parameter: ContractObject = ["name": .text(name), "in": .text(place)]
        if isRequired { parameter["required"] = .literal("true") }
        parameter["description"] = texts.scalar == nil ? texts["description"] : texts
        let used = texts["schema"] ?? .object(schema)
        if let name = used["$ref"]?.scalar?.split(separator: "/").last { _ = try components.schema(String(name)) }
        parameter["schema"] = used
        if let example = texts["example"] { parameter["example"] = example }
        return .object(parameter)
    }

    private func body(_ components: inout ContractComponents) throws -> ContractNode? {
        let form = "application/x-www-form-urlencoded"
        switch terms.body.kind {
        case .none: return nil
        case .optional, .required, .form, .optionalForm:
            guard let schema = terms.body.schema else { throw ContractFault("\(endpoint) takes a body without schema") }
            let kind = terms.body.kind
            let media = [.form, .optionalForm].contains(kind) ? form : "application/json"
            let content = ContractObject(entries: [.init(name: media, node: try components.content(schema))])
            let body: ContractObject = [
                "required": .literal(String(![.optional, .optionalForm].contains(kind))), "content": .object(content),
            ]
            return components.share("requestBodies", schema, .object(body))
        }
    }

    // MARK: Answers

    private func responses(_ components: inout ContractComponents) throws -> ContractObject {
        var responses: ContractObject = [String(terms.answer.status): try success(&components)]
        if terms.traits.contains(.conditional) {
            let node = try response("NotModified", headers: [HeaderName.requestId, "ETag"], content: nil, &components)
            responses["304"] = components.share("responses", "NotModified", node)
        }
        let refusals = ContractRefusals(endpoint, terms, prose, texts?["pages"])
        for (status, node) in try refusals.nodes(&components) { responses[status] = node }
        return responses
    }

    private func success(_ components: inout ContractComponents) throws -> ContractNode {
        let answer = terms.answer
        var headers = [HeaderName.requestId]
        if terms.traits.contains(.conditional) {
            headers += ["ETag", "Cache-Control"]
            if terms.traits.contains(.multilingual) { headers += ["Content-Language", "Vary"] }
        }
        if terms.traits.contains(.positioned) { headers.append(HeaderName.position) }
        if terms.query.contains(where: { $0.name == "after" }) { headers.append("Link") }
        if answer.isRedirect { headers.append("Location") }
        var content: ContractNode?
        if let media = answer.mediaType {
            let body: ContractNode =
                switch answer.content {
                case .json(let schema): try components.content(schema)
                case .binary: .object(["schema": .object(["type": "string", "format": "binary"])])
                case .text, .nothing: try prose.text(media, example: texts?["example"])
                }
            content = .object(ContractObject(entries: [.init(name: media, node: body)]))
        }
        if let own = texts?["answer"] {
            return try response(describedBy: own, headers: headers, content: content, &components)
        }
        guard case .json(let name) = answer.content else {
            throw ContractFault("operations/\(terms.operation) has no answer")
        }
        let node = try response(name, headers: headers, content: content, &components)
        return components.share("responses", name, node)
    }

    private func response(
        _ name: String, headers: [String], content: ContractNode?, _ components: inout ContractComponents
    ) throws -> ContractNode {
        guard let description = try prose.section("answers")[name] else {
            throw ContractFault("operations/\(terms.operation) has no answer, and answers has no \(name)")
        }
        return try response(describedBy: description, headers: headers, content: content, &components)
    }

    private func response(
        describedBy description: ContractNode, headers: [String], content: ContractNode?,
        _ components: inout ContractComponents
    ) throws -> ContractNode {
        var response: ContractObject = ["description": description]
        var fields = ContractObject(entries: [])
        for name in headers { fields[name] = try components.header(name) }
        response["headers"] = .object(fields)
        if let content { response["content"] = content }
        return response.open
    }
}
