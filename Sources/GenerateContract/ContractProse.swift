import Yams

/// The part of the contract that people write: texts and examples. `prose.yaml` has it.
struct ContractProse {
    /// The whole file.
    let root: ContractNode

    /// Reads the file.
    init(_ yaml: String) throws {
        guard let node = try Yams.compose(yaml: yaml) else { throw ContractFault("prose.yaml is empty") }
        root = try Self.node(node)
    }

    /// The section of a name.
    func section(_ name: String) throws -> ContractNode {
        guard let node = root[name] else { throw ContractFault("prose.yaml has no section \(name)") }
        return node
    }

    private static func node(_ node: Node) throws -> ContractNode {
        if let scalar = node.scalar {
            let isPlain = scalar.style == .plain || scalar.style == .any
            return isPlain && isLiteral(scalar.string) ? .literal(scalar.string) : .text(scalar.string)
        }
        if let sequence = node.sequence { return .list(try sequence.map { try Self.node($0) }) }
        guard let mapping = node.mapping else { throw ContractFault("prose.yaml has an alias") }
        return .object(
            ContractObject(
                entries: try mapping.map { key, value in
                    guard let name = key.string else { throw ContractFault("prose.yaml has a key that is no text") }
                    return ContractObject.Entry(name: name, node: try Self.node(value))
                }))
    }

    private static func isLiteral(_ text: String) -> Bool {
        text == "true" || text == "false" || text.wholeMatch(of: /-?[0-9]+/) != nil
    }
}

/// Why the contract cannot be written.
struct ContractFault: Error, CustomStringConvertible {
    /// The fault, for whoever writes the contract.
    let description: String

    init(_ description: String) { self.description = description }
}
