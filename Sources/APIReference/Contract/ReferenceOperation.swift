/// One operation of the contract, with all references to shared parameters and responses resolved.
struct ReferenceOperation: Sendable {
    /// A parameter of the path, the query or the header.
    struct Parameter: Sendable {
        let name: String
        /// `path`, `query` or `header`.
        let place: String
        let isRequired: Bool
        let description: String
        let schema: ContractValue
        let example: ContractValue?
    }

    /// A body in one media type.
    struct Content: Sendable {
        let mediaType: String
        let schema: ContractValue
        let examples: [Example]
    }

    /// An example of a body.
    struct Example: Sendable {
        /// Its name in the contract; empty for a sole example.
        let name: String
        let summary: String
        let value: ContractValue
    }

    /// A response with one status.
    struct Response: Sendable {
        /// The status code, or `default`.
        let status: String
        let description: String
        let headers: [String]
        let contents: [Content]
    }

    /// The operation's id; it names the anchor.
    let id: String
    /// In capitals.
    let method: String
    let path: String
    /// The first tag.
    let group: String
    let summary: String
    let description: String
    /// Who may call, in the contract's words.
    let callers: [String]
    /// The names of the security schemes that are accepted, each sufficient. An empty name stands for no credentials.
    let schemes: [String]
    let parameters: [Parameter]
    let bodies: [Content]
    let isBodyRequired: Bool
    let responses: [Response]

    /// Reads an operation. `shared` are the parameters of all operations of the path.
    init(
        method: String, path: String, _ value: ContractValue, shared: [ContractValue],
        resolve: (ContractValue) -> ContractValue
    ) throws(APIReferenceError) {
        self.method = method.uppercased()
        self.path = path
        guard let id = value["operationId"]?.string, !id.isEmpty else {
            throw APIReferenceError("\(self.method) \(path) has no operationId.")
        }
        self.id = id
        group = value["tags"]?.strings.first ?? "other"
        summary = value["summary"]?.string ?? id
        description = value["description"]?.string ?? ""
        schemes = (value["security"]?.items ?? []).map { $0.members.map(\.name).joined(separator: "+") }
        callers = value["x-callers"].map(Self.callers) ?? schemes.map { $0.isEmpty ? "anyone" : $0 }
        parameters = (shared + (value["parameters"]?.items ?? [])).map { Self.parameter($0, resolve) }
        let body = value["requestBody"].map(resolve)
        bodies = body.map { Self.contents($0, resolve) } ?? []
        isBodyRequired = body?["required"]?.isTrue ?? false
        responses = (value["responses"]?.members ?? []).map { Self.response($0.name, resolve($0.value), resolve) }
    }

    /// The problem documents that examples show, by status and code. Those of `default` can come from any operation.
    var problems: [(status: String, code: String, example: ContractValue)] {
        responses.flatMap { response in
            response.contents.filter { $0.mediaType == ReferenceOperation.problemType }.flatMap(\.examples)
                .compactMap { example in
                    example.value["code"]?.string.map { (response.status, $0, example.value) }
                }
        }
    }

    static let problemType = "application/problem+json"

    private static func callers(_ value: ContractValue) -> [String] {
        value.items.compactMap { item in
            item.string ?? item.members.first.map { $0.name + ($0.value.scalar.map { " " + $0 } ?? "") }
        }
    }

    private static func parameter(
        _ value: ContractValue, _ resolve: (ContractValue) -> ContractValue
    ) -> Parameter {
        let value = resolve(value)
        let schema = value["schema"] ?? .object([])
        return Parameter(
            name: value["name"]?.string ?? "", place: value["in"]?.string ?? "",
            isRequired: value["required"]?.isTrue ?? false, description: value["description"]?.string ?? "",
            schema: schema,
            example: value["example"] ?? examples(value, resolve).first?.value
                ?? resolve(schema)["examples"]?.items.first)
    }

    private static func response(
        _ status: String, _ value: ContractValue, _ resolve: (ContractValue) -> ContractValue
    ) -> Response {
        Response(
            status: status, description: value["description"]?.string ?? "",
            headers: (value["headers"]?.members ?? []).map(\.name), contents: contents(value, resolve))
    }

    private static func contents(_ value: ContractValue, _ resolve: (ContractValue) -> ContractValue) -> [Content] {
        (value["content"]?.members ?? []).map {
            Content(
                mediaType: $0.name, schema: $0.value["schema"] ?? .object([]), examples: examples($0.value, resolve))
        }
    }

    private static func examples(_ value: ContractValue, _ resolve: (ContractValue) -> ContractValue) -> [Example] {
        let sole = value["example"].map { [Example(name: "", summary: "", value: $0)] } ?? []
        return sole
            + (value["examples"]?.members ?? []).map {
                let example = resolve($0.value)
                return Example(
                    name: $0.name, summary: example["summary"]?.string ?? "", value: example["value"] ?? .null)
            }
    }
}
