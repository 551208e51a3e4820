import ErrorCodes
import TenureAPI

/// The components of the contract that are used so far, each made at its first use.
struct ContractComponents {
    private static let kinds = ["parameters", "headers", "responses", "requestBodies", "schemas", "examples"]

    private let prose: ContractProse
    private let schemas: ContractSchemas
    private let errors: ContractErrors
    private var nodes: [String: [String: ContractNode]] = [:]
    /// The names of tables inside of schemas.
    private var parts: Set<String> = []

    init(_ prose: ContractProse) throws {
        self.prose = prose
        schemas = try ContractSchemas(prose)
        errors = try ContractErrors(prose)
    }

    /// The names that are used, by kind.
    var used: [String: Set<String>] { nodes.mapValues { Set($0.keys) } }

    /// The names of the schemas that are used, and of tables inside of them.
    var usedSchemas: Set<String> { (used["schemas"] ?? []).union(parts) }

    /// The section `components`, by name within each kind.
    func node(securitySchemes: ContractNode) -> ContractObject {
        var components: ContractObject = ["securitySchemes": securitySchemes]
        for kind in Self.kinds {
            let entries = (nodes[kind] ?? [:]).sorted { $0.key < $1.key }
            components[kind] =
                ContractObject(
                    entries: entries.map { ContractObject.Entry(name: $0.key, node: $0.value) }, isOpen: true
                ).open
        }
        return components
    }

    /// Refers to a component, or gives the node itself if another one has the name.
    mutating func share(_ kind: String, _ name: String, _ node: ContractNode) -> ContractNode {
        if let first = nodes[kind]?[name], first != node { return node }
        nodes[kind, default: [:]][name] = node
        return .reference(kind, name)
    }

    /// Refers to a header field of answers.
    mutating func header(_ name: String) throws -> ContractNode {
        guard let node = try prose.section("headers")[name] else { throw ContractFault("headers has no \(name)") }
        return share("headers", name, node)
    }

    /// Refers to a schema, and makes those that it needs.
    mutating func schema(_ name: String) throws -> ContractNode {
        if nodes["schemas"]?[name] == nil {
            let (node, tables) = try schemas.node(name)
            nodes["schemas", default: [:]][name] = node
            parts.formUnion(tables)
            for reference in Self.references(in: node) where reference.hasPrefix("#/components/schemas/") {
                _ = try schema(String(reference.dropFirst("#/components/schemas/".count)))
            }
        }
        return .reference("schemas", name)
    }

    /// The schema of a body, with its examples.
    mutating func content(_ name: String) throws -> ContractNode {
        var content: ContractObject = ["schema": try schema(name)]
        var examples = ContractObject(entries: [])
        for entry in try prose.section("examples")[name]?.members ?? [] {
            let home = try entry.node.scalar.map { try prose.section("examples")[$0]?[entry.name] } ?? entry.node
            guard let home, let value = try home["value"] ?? signed(home["signed"]?.scalar, of: name) else {
                throw ContractFault("examples/\(name)/\(entry.name) has no value")
            }
            let summary = home["summary"] ?? .text(Self.words(entry.name))
            examples[entry.name] = share(
                "examples", entry.name,
                ContractObject(entries: [.init(name: "summary", node: summary), .init(name: "value", node: value)]).open
            )
        }
        if !examples.entries.isEmpty { content["examples"] = .object(examples) }
        return .object(content)
    }

    /// The value of an example of a schema, with the statement and signature of a signed decision besides.
    private func signed(_ example: String?, of schema: String) throws -> ContractNode? {
        let examples = try prose.section("examples")
        guard let example, let unsigned = examples[schema]?[example]?["value"],
            let signed = examples["DecisionRequest"]?["Signed"]?["value"]
        else { return nil }
        return .object(ContractObject(entries: unsigned.members).merging(signed.members))
    }

    /// The examples of codes in one kind of refusal.
    mutating func examples(of codes: [ErrorCode], _ family: Endpoint.Family) throws -> ContractNode {
        var examples = ContractObject(entries: [], isOpen: true)
        for code in codes {
            let (name, node) = try errors.example(of: code, family)
            examples[code.rawValue] = share("examples", name, node)
        }
        return .object(examples)
    }

    /// The words of a name such as `MPinChallenge`: M-Pin challenge.
    private static func words(_ name: String) -> String {
        let isOfMPin = name.hasPrefix("MPin")
        var words = isOfMPin ? ["M-Pin"] : [], word = ""
        for letter in isOfMPin ? name.dropFirst(4) : name[...] {
            if letter.isUppercase, !word.isEmpty {
                words.append(word)
                word = ""
            }
            word += words.isEmpty && word.isEmpty ? String(letter) : letter.lowercased()
        }
        return (words + [word]).joined(separator: " ")
    }

    private static func references(in node: ContractNode) -> [String] {
        let own = node["$ref"]?.scalar.map { [$0] } ?? []
        return own + node.members.flatMap { references(in: $0.node) } + node.elements.flatMap { references(in: $0) }
    }
}
