/// The parts of an OpenAPI 3.1 document that the page shows.
struct ReferenceContract: Sendable {
    /// A group of operations.
    struct Group: Sendable {
        /// The tag's name; it names the anchor.
        let name: String
        /// `x-displayName`, or else the name with a capital.
        let title: String
        /// What the group is about.
        let description: String
        /// In the order of the document.
        let operations: [ReferenceOperation]
    }

    /// A way to authenticate.
    struct Scheme: Sendable {
        let name: String
        /// `basic` or `bearer`.
        let kind: String
        let description: String
    }

    let title: String
    let version: String
    let summary: String
    let description: String
    let groups: [Group]
    let schemes: [Scheme]
    /// The named schemas, in the order of the document.
    let schemas: [ContractValue.Member]
    private let document: ContractValue

    private static let methods = ["get", "put", "post", "patch", "delete", "head", "options", "trace"]

    /// Reads a parsed contract. Throws if it has no operations, or a reference leads nowhere.
    init(_ document: ContractValue) throws(APIReferenceError) {
        self.document = document
        let info = document["info"]
        title = info?["title"]?.string ?? "API"
        version = info?["version"]?.scalar ?? ""
        summary = info?["summary"]?.string ?? ""
        description = info?["description"]?.string ?? ""
        schemas = document["components"]?["schemas"]?.members ?? []
        schemes = (document["components"]?["securitySchemes"]?.members ?? []).map {
            Scheme(
                name: $0.name, kind: $0.value["scheme"]?.string ?? "",
                description: $0.value["description"]?.string ?? "")
        }
        try Self.checkReferences(in: document, of: document)
        let operations = try Self.operations(of: document)
        guard !operations.isEmpty else { throw APIReferenceError("The contract has no operations.") }
        groups = Self.groups(of: document, operations)
    }

    /// The value that a reference leads to, with the members beside the reference before its own; other values as they
    /// are.
    func resolve(_ value: ContractValue) -> ContractValue { Self.resolve(value, in: document) }

    static func resolve(_ value: ContractValue, in document: ContractValue) -> ContractValue {
        var value = value
        var seen: Set<String> = []
        while let pointer = value["$ref"]?.string, seen.insert(pointer).inserted {
            guard let target = target(of: pointer, in: document) else { break }
            let beside = value.members.filter { $0.name != "$ref" }
            let names = Set(beside.map(\.name))
            value = .object(beside + target.members.filter { !names.contains($0.name) })
        }
        return value
    }

    private static func target(of pointer: String, in document: ContractValue) -> ContractValue? {
        guard pointer.hasPrefix("#/") else { return nil }
        var value: ContractValue? = document
        for part in pointer.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false) {
            let name = part.replacing("~1", with: "/").replacing("~0", with: "~")
            value = value?[String(name)]
        }
        return value
    }

    private static func checkReferences(
        in value: ContractValue, of document: ContractValue
    ) throws(APIReferenceError) {
        for item in value.items { try checkReferences(in: item, of: document) }
        for member in value.members {
            if member.name == "$ref", let pointer = member.value.string, target(of: pointer, in: document) == nil {
                throw APIReferenceError("The contract refers to \(pointer), which it does not have.")
            }
            try checkReferences(in: member.value, of: document)
        }
    }

    private static func operations(of document: ContractValue) throws(APIReferenceError) -> [ReferenceOperation] {
        var operations: [ReferenceOperation] = []
        var seen: Set<String> = []
        for path in document["paths"]?.members ?? [] {
            for method in path.value.members where methods.contains(method.name) {
                let operation = try ReferenceOperation(
                    method: method.name, path: path.name, method.value, shared: path.value["parameters"]?.items ?? []
                ) { resolve($0, in: document) }
                guard seen.insert(operation.id).inserted else {
                    throw APIReferenceError("The contract has two operations \(operation.id).")
                }
                operations.append(operation)
            }
        }
        return operations
    }

    /// Groups operations by their first tag: first the declared tags, then the others as they appear.
    private static func groups(of document: ContractValue, _ operations: [ReferenceOperation]) -> [Group] {
        let tags = document["tags"]?.items ?? []
        var names: [String] = []
        for name in tags.compactMap({ $0["name"]?.string }) + operations.map(\.group) where !names.contains(name) {
            names.append(name)
        }
        return names.compactMap { name in
            let tag = tags.first { $0["name"]?.string == name }
            let members = operations.filter { $0.group == name }
            return members.isEmpty
                ? nil
                : Group(
                    name: name, title: tag?["x-displayName"]?.string ?? name.prefix(1).uppercased() + name.dropFirst(),
                    description: tag?["description"]?.string ?? "", operations: members)
        }
    }
}
