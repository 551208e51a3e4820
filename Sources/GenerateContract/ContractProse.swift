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

    func section(_ name: String) throws -> ContractNode {
        guard let node = root[name] else { throw ContractFault("prose.yaml has no section \(name)") }
        return node
    }

    /// A body of characters, with its own example or that of its media type.
    func text(_ mediaType: String, example: ContractNode? = nil) throws -> ContractNode {
        var content: ContractObject = ["schema": .object(["type": "string"])]
        if let example = try example ?? section("texts")[mediaType] { content["example"] = example }
        return .object(content)
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

    private static func isOfWords(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Whether a scalar can stand without quotes everywhere, as it does in the file.
    private static func isLiteral(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(Self.isOfWords)
    }
}

/// Why the contract cannot be written.
struct ContractFault: Error, CustomStringConvertible {
    /// The fault, for whoever writes the contract.
    let description: String

    init(_ description: String) { self.description = description }
}
