/// A part of the contract: a node of a YAML document whose members stand in order.
indirect enum ContractNode: Equatable {
    case text(String)
    /// A text that stands in quotes even where YAML needs none.
    case quoted(String)
    /// A number or a boolean.
    case literal(String)
    case list([ContractNode])
    case object(ContractObject)

    /// The members; none of anything but a mapping.
    var members: [ContractObject.Entry] {
        if case .object(let object) = self { return object.entries }
        return []
    }

    /// The elements; none of anything but a list.
    var elements: [ContractNode] {
        if case .list(let elements) = self { return elements }
        return []
    }

    /// The text of a scalar; `nil` of anything else.
    var scalar: String? {
        switch self {
        case .text(let text), .quoted(let text), .literal(let text): text
        case .list, .object: nil
        }
    }

    /// The member of a name; `nil` if the node has none.
    subscript(name: String) -> ContractNode? { members.first { $0.name == name }?.node }

    static func reference(_ kind: String, _ name: String) -> ContractNode {
        .object(["$ref": .quoted("#/components/\(kind)/\(name)")])
    }
}

extension ContractNode: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self = .text(value) }
}

/// A mapping whose members stand in order.
struct ContractObject: Equatable, ExpressibleByDictionaryLiteral {
    /// A member.
    struct Entry: Equatable {
        var name: String
        var node: ContractNode
    }

    /// The members in order.
    private(set) var entries: [Entry] = []
    /// Whether each member stands on a line of its own, however short all of them are.
    var isOpen = false

    init(dictionaryLiteral elements: (String, ContractNode)...) {
        entries = elements.map { Entry(name: $0.0, node: $0.1) }
    }

    init(entries: [Entry], isOpen: Bool = false) {
        self.entries = entries
        self.isOpen = isOpen
    }

    /// The member of a name. A new one stands last; `nil` takes it away.
    subscript(name: String) -> ContractNode? {
        get { entries.first { $0.name == name }?.node }
        set {
            if let index = entries.firstIndex(where: { $0.name == name }) {
                if let newValue { entries[index].node = newValue } else { entries.remove(at: index) }
            } else if let newValue {
                entries.append(Entry(name: name, node: newValue))
            }
        }
    }

    /// The same mapping with each member on a line of its own.
    var open: ContractNode { .object(ContractObject(entries: entries, isOpen: true)) }

    /// The same mapping with the members of another one, which replace those of the same name.
    func merging(_ other: [Entry]) -> ContractObject {
        other.reduce(into: self) { $0[$1.name] = $1.node }
    }
}
