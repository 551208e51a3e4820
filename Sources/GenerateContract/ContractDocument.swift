import ErrorCodes
import TenureAPI

/// The whole contract: the paths of all endpoints, and the components that they use.
struct ContractDocument {
    private let prose: ContractProse

    init(_ prose: ContractProse) throws { self.prose = prose }

    /// The document of the service's endpoints.
    func root(of endpoints: [Endpoint] = Endpoint.all) throws -> ContractObject {
        var components = try ContractComponents(prose)
        var paths = ContractObject(entries: [], isOpen: true)
        for endpoint in endpoints {
            guard let terms = endpoint.terms else { throw ContractFault("\(endpoint) has no terms") }
            let operation = try ContractOperation(endpoint, terms, prose).node(&components)
            var path = ContractObject(entries: paths[endpoint.template.text]?.members ?? [], isOpen: true)
            path[endpoint.method.lowercased()] = operation.open
            paths[endpoint.template.text] = path.open
        }
        try checkUse(of: Set(endpoints.compactMap { $0.terms?.operation }), components)
        var root = ContractObject(entries: try prose.section("document").members, isOpen: true)
        root["paths"] = .object(paths)
        root["components"] = components.node(securitySchemes: try prose.section("securitySchemes")).open
        return root
    }

    /// Refuses texts of what the contract does not have.
    private func checkUse(of operations: Set<String>, _ components: ContractComponents) throws {
        var faults: [String] = []
        func expect(_ section: String, within used: Set<String>) throws {
            let names = try prose.section(section).members.map(\.name)
            faults += names.filter { !used.contains($0) }.map { "\(section)/\($0) is used by nothing" }
            faults += names.filter { name in names.filter { $0 == name }.count > 1 }.map {
                "\(section)/\($0) is there twice"
            }
        }
        try expect("operations", within: operations)
        try expect("parameters", within: components.used["parameters"] ?? [])
        try expect("headers", within: components.used["headers"] ?? [])
        try expect("answers", within: components.used["responses"] ?? [])
        try expect("refusals", within: components.used["responses"] ?? [])
        try expect("schemas", within: components.usedSchemas)
        try expect("examples", within: components.usedSchemas)
        try expect("errors", within: Set(ErrorCode.all.map(\.rawValue)))
        guard faults.isEmpty else { throw ContractFault(faults.joined(separator: "; ")) }
    }
}
